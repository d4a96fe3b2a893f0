"""What an organiser has the director do: late entry, voiding, finishing; and no-shows."""

from collections.abc import Iterable

import attrs
import pytest

from referee.director import Director, ScheduledGame
from referee.journal.scores import score_of
from referee.play.faults import Fault
from referee.play.results import GameResult, SeatResult
from referee.setup import TournamentSetup
from referee.tournament.model import Kind, TournamentError
from referee.tournament.standings import Standings, StandingsRow
from referee.tournament.tiebreaks import TieBreaks
from tests.notes import begun
from tests.server.network import tournament

SWISS = {"kind": Kind.SWISS, "rounds": 3}


def director(names: str = "abcd", **setup: object) -> Director:
    """Return a tournament of entrants with names of one letter, at tables of two."""
    return begun(tournament(**setup), names)


def start(director: Director, count: int) -> list[ScheduledGame]:
    """Start so many games."""
    games = [director.next_game(lambda names: True) for _ in range(count)]
    assert None not in games
    return games


def end(director: Director, game: ScheduledGame, *, absent: str = "", late: int = 0) -> bool:
    """Let the first of the alphabet win a game; say whether that completed the round."""
    seats = tuple(
        SeatResult(
            name=name,
            bullheads=(ord(name),),
            forfeited=False,
            no_show=name in absent,
            faults={Fault.LATE: late} if late else {},
            took_ns=(5_000_000,) * late,
        )
        for name in game.names
    )
    return director.game_ended(
        GameResult(
            game=game.id,
            seats=seats,
            digest=f"{game.id}".rjust(64, "0"),
            course=f"{game.id}",
            referee_delay_ns=0,
        )
    )


def play_round(director: Director, *, tables: int = 2, absent: str = "") -> None:
    """Play a whole round of a Swiss."""
    for game in start(director, tables):
        end(director, game, absent=absent)


def refusal(action: object, *words: object) -> str:
    """Return why something cannot be done."""
    with pytest.raises(TournamentError) as caught:
        action(*words)
    return str(caught.value)


def points(director: Director) -> dict[str, str]:
    """Return the points of everybody."""
    return {row.name: str(row.points) for row in director.rows()}


# --- planning ----------------------------------------------------------------------------------------------


def test_a_swiss_round_is_drawn_when_its_first_game_is_asked_for() -> None:
    """Until then there is one plan; it is the same draw as ever."""
    swiss = director(**SWISS)
    play_round(swiss)

    assert 1 == len(swiss.plans)
    assert swiss.waits_for_round

    start(swiss, 1)

    assert 2 == len(swiss.plans)
    assert not swiss.complete


def test_there_is_nothing_to_start_after_the_last_round() -> None:
    """Three rounds are played, no fourth is drawn, and all is complete."""
    swiss = director(**SWISS)
    for _ in range(3):
        play_round(swiss)

    assert None is swiss.next_game(lambda names: True)
    assert (3, True, True, 6) == (len(swiss.plans), swiss.complete, swiss.over, swiss.games_done)


def test_the_weight_of_a_repeat_is_heard_and_kept() -> None:
    """Six at tables of two over four rounds meet in twelve pairs by the strict order.

    With a weight of 1 those with like points meet again instead of those far apart.
    """
    setup = {"kind": Kind.SWISS, "rounds": 4}
    strict, weighed = director("abcdef", **setup), director("abcdef", **setup, repeat_weight=1)
    met = []
    for swiss in (strict, weighed):
        for _ in range(4):
            play_round(swiss, tables=3)
        met.append(len({frozenset(table.entrants) for plan in swiss.plans for table in plan.tables}))

    assert 12 == met[0]
    assert 12 > met[1]
    assert 1 == weighed.journal.reading().head.repeat_weight
    assert 1 == TournamentSetup.of(weighed.journal.reading().head).repeat_weight


# --- late entry --------------------------------------------------------------------------------------------


def test_who_enters_late_is_in_the_next_draw_with_nothing() -> None:
    """Five are in round 2: two tables of two and a bye."""
    swiss = director(**SWISS)
    games = start(swiss, 2)
    swiss.enter("e")

    assert "0" == points(swiss)["e"]

    for game in games:
        end(swiss, game)
    start(swiss, 1)
    plan = swiss.plans[1]

    assert set("abcde") == {name for table in plan.tables for name in table.entrants} | set(plan.byes)


def test_nobody_enters_a_round_robin_nor_in_the_last_round_nor_after_the_end() -> None:
    """Each is told why; and nothing has changed."""
    one, robin, over = director(kind=Kind.SWISS, rounds=1), director(), director(**SWISS)
    over.finish_now()

    assert "the last round has begun" == refusal(one.enter, "e")
    assert "a round-robin that has begun takes no late entrants" == refusal(robin.enter, "e")
    assert "the last round has begun" == refusal(over.enter, "e")
    assert set("abcd") == set(points(one)) == set(points(robin)) == set(points(over))


def test_the_last_round_is_open_until_it_is_drawn() -> None:
    """After round 2 of 3, before the first game of round 3, one can still enter."""
    swiss = director(**SWISS)
    play_round(swiss)
    play_round(swiss)
    swiss.enter("e")
    start(swiss, 1)

    assert "the last round has begun" == refusal(swiss.enter, "f")
    assert "e" in points(swiss)


# --- voiding -----------------------------------------------------------------------------------------------


def test_a_voided_round_is_played_again_by_the_same_under_other_numbers() -> None:
    """One of two games was over: its points and its digest are gone; g1 becomes g2 at the same tables."""
    swiss = director(**SWISS)
    fresh_digest = swiss.digest
    first, second = start(swiss, 2)
    end(swiss, first)
    swiss.void_round(1, "test")

    assert {"a": "0", "b": "0", "c": "0", "d": "0"} == points(swiss)
    assert (0, fresh_digest, (1,)) == (swiss.games_done, swiss.digest, swiss.voided)

    again = start(swiss, 2)

    assert ["r1t1g2", "r1t2g2"] == [str(game.id) for game in again]
    assert [first.names, second.names] == [game.names for game in again]
    assert [False, True] == [end(swiss, game) for game in again]
    assert (2, False) == (swiss.games_done, swiss.complete)


def test_other_numbers_mean_other_cards() -> None:
    """The same table is dealt other hands in the replay, and yet others in a second one."""
    swiss = director(**SWISS)
    decks = []
    for _ in range(3):
        (game,) = start(swiss, 1)
        decks.append(tuple(swiss.table_setup(game).decks(1)))
        swiss.void_round(1, "test")

    assert 3 == len(set(decks))


def test_with_several_games_a_table_the_numbers_go_on() -> None:
    """Two games a table: the replay has games 3 and 4."""
    swiss = director(**SWISS, games=2)
    swiss.void_round(1, "test")

    assert ["r1t1g3", "r1t2g3", "r1t1g4", "r1t2g4"] == [str(game.id) for game in start(swiss, 4)]


def test_a_finished_round_can_be_voided_until_the_next_is_drawn() -> None:
    """Then its results have paired others, and the sentence says which can still be."""
    swiss = director(**SWISS)
    play_round(swiss)
    swiss.void_round(1, "test")
    play_round(swiss)
    start(swiss, 1)

    assert "round 1 cannot be voided, since round 2 was paired by its results; only round 2 can" == refusal(
        swiss.void_round, 1, "test"
    )
    assert "round 3 has not begun; there are rounds 1 to 2" == refusal(swiss.void_round, 3, "test")
    assert "round 0 has not begun; there are rounds 1 to 2" == refusal(swiss.void_round, 0, "test")


def test_any_round_of_a_round_robin_can_be_voided() -> None:
    """Round 1 is played again after round 2 was: both count once, and the rest comes as it was planned."""
    robin = director(rounds=3)
    for game in start(robin, 4):
        end(robin, game)
    before = points(robin)
    robin.void_round(1, "test")
    again = start(robin, 2)
    for game in again:
        end(robin, game)

    assert ["r1t1g2", "r1t2g2"] == [str(game.id) for game in again]
    assert before == points(robin)
    assert (4, False) == (robin.games_done, robin.complete)


def test_a_void_after_the_last_game_opens_the_tournament_again() -> None:
    """It was complete; now two games are to be played."""
    swiss = director(kind=Kind.SWISS, rounds=1)
    play_round(swiss)

    assert swiss.complete

    swiss.void_round(1, "test")

    assert not swiss.complete
    assert 2 == swiss.games_planned

    play_round(swiss)

    assert swiss.complete


def test_pairing_after_a_replay_goes_by_the_replay() -> None:
    """In round 1 a and c lead; in its replay their opponents do, and round 2 pairs those."""
    swiss = director(**SWISS)
    first = start(swiss, 2)
    for game in first:
        end(swiss, game)
    swiss.void_round(1, "test")
    for game in start(swiss, 2):
        end(swiss, game, absent=min(game.names))
    losers = {min(game.names) for game in first}
    start(swiss, 2)

    assert losers in [set(table.entrants) for table in swiss.plans[1].tables]


def test_faults_and_answer_times_of_a_voided_round_stay() -> None:
    """They happened; games, deals, wins, bullheads and tie-breaks did not."""
    swiss = director(**SWISS)
    game, _ = start(swiss, 2)
    end(swiss, game, late=2)
    swiss.add_fault(game.names[0], Fault.VIOLATION)
    swiss.void_round(1, "test")
    row = next(row for row in swiss.rows() if row.name == game.names[0])

    assert (1, 0, 0, 0, 0, 0) == (row.rank, row.points, row.games, row.deals, row.wins, row.bullheads)
    assert TieBreaks() == row.tie_breaks
    assert {"late": 2, "violation": 1} == dict(row.faults)
    assert 5 == row.latency.max


def test_the_bye_of_a_voided_round_counts_when_the_replay_is_over() -> None:
    """Five at tables of two: one rests in round 1, and has its half point once."""
    swiss = director("abcde", **SWISS)
    play_round(swiss)
    (rested,) = swiss.plans[0].byes

    assert "1/2" == points(swiss)[rested]

    swiss.void_round(1, "test")

    assert "0" == points(swiss)[rested]

    play_round(swiss)

    assert "1/2" == points(swiss)[rested]


@pytest.mark.parametrize(
    ("voided", "played"), [*((1, played) for played in range(13)), *((2, played) for played in range(4, 13))]
)
def test_a_voided_round_has_never_been(voided: int, played: int) -> None:
    """Whatever was played of it and others: the standings are those of its rounds without it."""
    robin = director("abcde", rounds=3, games=2)
    for game in start(robin, played):
        end(robin, game)
    reading = robin.journal.reading()
    scores = [score_of(result) for result in reading.results() if result.game.round != voided]
    expected = Standings("abcde", games=2)
    for score in scores:
        expected.add(score)
    for plan in robin.plans:
        if 4 == len([score for score in scores if score.round == plan.number]):
            expected.add_bye(plan.number, *plan.byes)
    robin.void_round(voided, "test")

    def counted(rows: Iterable[StandingsRow]) -> list[StandingsRow]:
        return [attrs.evolve(row, latency=None) for row in rows]

    assert counted(expected.rows()) == counted(robin.rows())
    assert len(scores) == robin.games_done


def test_what_a_void_makes_wait_is_begun_by_round_and_game() -> None:
    """Round 2 was begun when round 1 is voided: the replay comes first, and none of round 2 comes twice."""
    robin = director(rounds=3)
    begun_before = start(robin, 3)
    robin.void_round(1, "test")

    assert "r2t1g1" == str(begun_before[2].id)
    assert ["r1t1g2", "r1t2g2", "r2t2g1"] == [str(game.id) for game in start(robin, 3)]


# --- no-shows and the end ----------------------------------------------------------------------------------


def test_two_rounds_missed_withdraw_and_a_replay_is_the_same_round() -> None:
    """D misses round 1 and its replay: that is one round; then round 2, which makes two."""
    swiss = director(**SWISS)
    play_round(swiss, absent="d")
    swiss.void_round(1, "test")
    play_round(swiss, absent="d")

    assert [] == swiss.no_shows

    play_round(swiss, absent="d")

    assert ["d"] == swiss.no_shows
    assert swiss.is_withdrawn("d")


def test_nothing_is_drawn_after_a_finish_between_rounds() -> None:
    """Round 1 is over and round 2 is not drawn: it never is."""
    swiss = director(**SWISS)
    play_round(swiss)
    swiss.finish_now()

    assert None is swiss.next_game(lambda names: True)
    assert (1, True, False) == (len(swiss.plans), swiss.over, swiss.complete)


def test_finish_leaves_what_was_played() -> None:
    """One game of two counts; nothing more starts; it is over, though not complete."""
    swiss = director(**SWISS)
    game, _ = start(swiss, 2)
    end(swiss, game)
    swiss.finish_now()

    assert (True, False, 1) == (swiss.over, swiss.complete, swiss.games_done)
    assert "1" == points(swiss)[min(game.names)]
    assert "the tournament is over" == refusal(swiss.void_round, 1, "test")
    assert None is swiss.next_game(lambda names: True)
