"""The director: which game comes when, what a result changes, and what decks depend on."""

import hashlib
import random
from fractions import Fraction

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.director import NO_SHOW_ROUNDS, ROUNDS_AHEAD, ScheduledGame, TournamentSetup
from referee.play.clock import NS_PER_MS, ClockRules
from referee.play.faults import Fault
from referee.play.names import GameId
from referee.play.results import GameResult, SeatResult
from referee.rules.decks import DealId, bot_seed, commitment, deck
from referee.rules.variants import Rules, Variant
from referee.tournament.model import TOURNAMENTS, Kind, TournamentError
from tests.notes import begun

NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal")
SETUP = TournamentSetup(
    kind=Kind.ROUND_ROBIN,
    table_size=2,
    rounds=None,
    games=1,
    rules=Rules(target=None, deals=1),
    clock=ClockRules(move_ns=1000 * NS_PER_MS),
    seed="director",
    nonce=bytes(32),
)
PLAIN_SEAT = {"forfeited": False, "no_show": False, "faults": {}, "took_ns": ()}


def director(entrants=8, **changes):
    """A director of so many entrants."""
    return begun(attrs.evolve(SETUP, **changes), NAMES[:entrants])


def anybody(names):
    """Everybody can always play."""
    del names
    return True


def result(game, *, absent=(), bullheads=None, **seat):
    """A result in which entrants take as many bullheads as they come late in the alphabet."""
    seats = tuple(
        SeatResult(
            **{
                **PLAIN_SEAT,
                "name": name,
                "bullheads": ((bullheads or {}).get(name, NAMES.index(name)),),
                "no_show": name in absent,
                **seat,
            }
        )
        for name in game.names
    )
    digest = hashlib.sha256(str(game.id).encode()).hexdigest()
    return GameResult(game=game.id, seats=seats, digest=digest, course="", referee_delay_ns=0)


def play_out(tournament, *, absent=(), rng=None, at_once=1):
    """Play everything that is left, with so many games at once that end in any order; return the games."""
    games, running = [], []
    while not tournament.complete:
        while len(running) < at_once and (game := tournament.next_game(anybody)) is not None:
            games.append(game)
            running.append(game)
        running.sort(key=lambda game: rng.random() if rng else 0)
        tournament.game_ended(result(running.pop(), absent=absent))
    return games


def ids(games):
    """The ids of games as texts."""
    return [str(game.id) for game in games]


# --- the schedule -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TOURNAMENTS)
@settings(max_examples=25, deadline=None)
@given(
    entrants=st.integers(2, 8),
    table_size=st.integers(2, 5),
    rounds=st.integers(1, 9),
    games=st.integers(1, 3),
    at_once=st.integers(1, 20),
    seed=st.integers(0, 999),
)
def test_each_game_is_handed_out_once(kind, entrants, table_size, rounds, games, at_once, seed):
    """However many at once and in whatever order they end: every game of every table and round, once."""
    setup = {"kind": kind, "table_size": table_size, "rounds": rounds, "games": games, "concurrency": at_once}
    tournament = director(entrants, **setup)
    played = play_out(tournament, rng=random.Random(seed), at_once=at_once)
    expected = {
        (plan.number, table.table, game, table.entrants)
        for plan in tournament.plans
        for table in plan.tables
        for game in range(1, games + 1)
    }

    assert rounds == len(tournament.plans)
    assert sorted(expected) == sorted((g.id.round, g.id.table, g.id.game, g.names) for g in played)
    assert len(played) == tournament.games_done == tournament.games_planned
    assert tournament.next_game(anybody) is None


def test_all_combinations_are_counted_beforehand():
    """Six at tables of four are 15 tables in 15 rounds; eight at tables of three are 56."""
    few, many = (
        director(entrants, kind=Kind.ALL_COMBINATIONS, table_size=size, games=2)
        for entrants, size in ((6, 4), (8, 3))
    )

    assert (30, 112) == (few.games_planned, many.games_planned)
    assert 112 == len(play_out(many))


def test_games_come_in_the_order_of_the_schedule():
    """Games of a round game by game, so that all its tables have played one before any plays two."""
    tournament = director(4, games=2, rounds=2)

    assert [
        *("r1t1g1", "r1t2g1", "r1t1g2", "r1t2g2"),
        *("r2t1g1", "r2t2g1", "r2t1g2", "r2t2g2"),
    ] == ids(play_out(tournament))


def test_every_game_of_a_table_has_a_deal_set_of_its_own():
    """Two games are two sets: what is dealt differs."""
    first, second = (director(2, games=2).next_game(anybody) for _ in range(2))

    assert (
        first == second == ScheduledGame(id=GameId(round=1, table=1, deal_set=1, game=1), names=first.names)
    )
    assert [1, 2] == [game.id.deal_set for game in play_out(director(2, games=2))]


def test_a_deal_set_is_played_once_for_each_rotation():
    """One set at tables of three and two: three games and two, and everybody moves on."""
    tournament = director(5, table_size=3, rounds=1, games=3, deal_sets=1)
    three, two = (table.entrants for table in tournament.plans[0].tables)
    played = play_out(tournament)

    assert tournament.games_done == tournament.games_planned == 5
    assert ["r1t1g1", "r1t2g1", "r1t1g2", "r1t2g2", "r1t1g3"] == ids(played)
    assert {1} == {game.id.deal_set for game in played}
    assert [
        *(three, two, (three[2], *three[:2]), two[::-1], (*three[1:], three[0])),
    ] == [game.names for game in played]


def test_the_points_of_a_round_are_the_mean_over_its_games_at_tables_of_any_size():
    """Whoever is ahead in the alphabet wins at every table, and so has the same share of each game."""
    tournament = director(5, table_size=3, rounds=1, games=6, deal_sets=2)
    three, two = (sorted(table.entrants) for table in tournament.plans[0].tables)
    play_out(tournament)

    assert {
        **dict(zip(three, (Fraction(1), Fraction(1, 2), Fraction(0)), strict=True)),
        **dict(zip(two, (Fraction(1), Fraction(0)), strict=True)),
    } == {row.name: row.points for row in tournament.rows()}


def test_a_voided_round_of_deal_sets_is_played_with_further_sets():
    """Two sets at a table of two: games 1 to 4 were sets 1 and 2, so games 5 to 8 are sets 3 and 4."""
    tournament = director(2, rounds=1, games=4, deal_sets=2)
    tournament.game_ended(result(tournament.next_game(anybody)))
    tournament.void_round(1, "a power cut")

    assert [(5, 3), (6, 3), (7, 4), (8, 4)] == [
        (game.id.game, game.id.deal_set) for game in play_out(tournament)
    ]


def test_the_first_that_can_start_is_taken():
    """Ada is busy: the first table without her goes first, and hers comes as soon as she is free."""
    tournament = director(4)
    without = tournament.next_game(lambda names: "ada" not in names)
    then = tournament.next_game(anybody)

    assert "ada" not in without.names
    assert without.id.round == then.id.round == 1
    assert "ada" in then.names


def test_nobody_can_play():
    """Nothing is handed out, and nothing is lost."""
    tournament = director(4)

    assert tournament.next_game(lambda names: False) is None
    assert 6 == len(play_out(tournament))


@pytest.mark.parametrize(("concurrency", "ahead"), [(1, 2), (8, 2), (12, 3), (13, 4)])
def test_rounds_run_ahead_only_so_far(concurrency, ahead):
    """Table 1 of round 1 never ends; the others, 4 tables a round, go on for 2 rounds or so and wait."""
    tournament = director(8, concurrency=concurrency, rounds=20)
    stuck = tournament.next_game(anybody)
    taken = []
    while (game := tournament.next_game(anybody)) is not None:
        taken.append(game)
        tournament.game_ended(result(game))

    assert 2 == ROUNDS_AHEAD
    assert 1 + ahead == max(game.id.round for game in taken)
    assert 3 + 4 * ahead == len(taken)
    assert 1 == tournament.round

    tournament.game_ended(result(stuck))

    assert 2 + ahead == tournament.round
    assert tournament.next_game(anybody) is not None


@pytest.mark.parametrize("concurrency", [1, 10])
def test_only_few_rounds_are_planned_ahead(concurrency):
    """Of 500 rounds of four tables those are planned whose games may be needed soon."""
    tournament = director(8, rounds=500, concurrency=concurrency)
    planned = []
    for _ in range(40):
        tournament.game_ended(result(tournament.next_game(anybody)))
        planned.append(len(tournament.plans) - tournament.round)

    assert 500 == tournament.rounds
    assert max(planned) <= 1 + concurrency // 4
    assert 2000 == tournament.games_planned


def test_a_swiss_round_waits_for_the_one_before():
    """Four games are handed out; then none until all four have ended, and the last of them says so."""
    tournament = director(8, kind=Kind.SWISS, rounds=3, concurrency=8)
    first = [tournament.next_game(anybody) for _ in range(4)]

    assert tournament.next_game(anybody) is None
    assert tournament.waits_for_round
    assert [1, 1] == [len(tournament.plans), tournament.rounds_at_once]
    assert [False, False, False, True] == [tournament.game_ended(result(game)) for game in first]
    assert 1 == len(tournament.plans)
    assert 2 == tournament.next_game(anybody).id.round
    assert not tournament.waits_for_round
    assert (2, 2) == (len(tournament.plans), tournament.round)


def test_a_round_robin_never_waits_for_a_round():
    """Its rounds may run at once."""
    tournament = director(8, concurrency=8)
    for _ in range(8):
        tournament.next_game(anybody)

    assert not tournament.waits_for_round
    assert 7 == tournament.rounds == tournament.rounds_at_once


def test_a_swiss_round_is_drawn_from_the_results():
    """After one round of eight the four winners meet each other."""
    tournament = director(8, kind=Kind.SWISS, rounds=2)
    winners = set()
    for _ in range(4):
        game = tournament.next_game(anybody)
        winners.add(min(game.names))
        tournament.game_ended(result(game))
    tournament.next_game(anybody)
    tables = [set(table.entrants) for table in tournament.plans[1].tables]

    assert [2, 2] == [len(table) for table in tables if table <= winners]


def test_how_many_games_there_will_be():
    """As if nobody withdrew, from the first moment on: 8 at tables of 2 for 7 rounds, twice; 7 in Swiss."""
    assert 56 == director(8, games=2).games_planned
    assert 3 * 5 == director(7, kind=Kind.SWISS, rounds=5).games_planned
    assert 1 == director(5, table_size=10).games_planned
    assert 2 * 4 == director(8, table_size=5, rounds=4).games_planned


def test_what_cannot_be_played_is_said():
    """One entrant is no tournament."""
    with pytest.raises(TournamentError):
        director(1)


# --- results ------------------------------------------------------------------------------------------------


def test_points_faults_and_times_go_to_their_entrant():
    """One game of ada and bob: the lower total wins; what each did wrong and how long it took is its own."""
    tournament = director(2)
    game = tournament.next_game(anybody)
    seats = {
        "ada": {"bullheads": (5,), "faults": {Fault.LATE: 2, Fault.STALE: 1}, "took_ns": (3 * NS_PER_MS,)},
        "bob": {"bullheads": (9,), "forfeited": True, "took_ns": (40 * NS_PER_MS, 80 * NS_PER_MS)},
    }
    ended = result(game)
    ended = attrs.evolve(
        ended, seats=tuple(SeatResult(**{**PLAIN_SEAT, "name": n, **seats[n]}) for n in game.names)
    )
    tournament.game_ended(ended)
    tournament.add_fault("bob", Fault.FLOODING)
    ada, bob = tournament.rows()

    assert ("ada", 1, Fraction(1), {"late": 2, "stale": 1}) == (ada.name, ada.rank, ada.points, ada.faults)
    assert ("bob", 2, Fraction(0), {"flooding": 1}) == (bob.name, bob.rank, bob.points, bob.faults)
    assert 80 == pytest.approx(bob.latency.max)
    assert 3 == pytest.approx(ada.latency.max)


def test_a_bye_is_worth_its_points_when_its_round_is_over():
    """Three entrants at tables of two: nothing before the first game, half a point after it."""
    tournament = director(3, rounds=3, concurrency=6)

    assert {0} == {row.points for row in tournament.rows()}

    game = tournament.next_game(anybody)
    tournament.game_ended(result(game))
    points = {row.name: row.points for row in tournament.rows()}
    (resting,) = tournament.plans[0].byes

    assert {resting: Fraction(1, 2), min(game.names): 1, max(game.names): 0} == points

    play_out(tournament)

    # Three games with one point each, and three byes.
    assert Fraction(9, 2) == sum(row.points for row in tournament.rows())


def test_the_digest_is_in_the_order_of_the_schedule_and_not_of_the_ends():
    """Games end in any order: one digest, that of the sorted list."""
    digests, order = set(), []
    for seed in range(5):
        tournament = director(8, games=2, concurrency=8)
        order = play_out(tournament, rng=random.Random(seed), at_once=8)
        digests.add(tournament.digest)
    lines = [result(game).digest + "\n" for game in sorted(order, key=lambda game: game.id)]

    assert {hashlib.sha256("".join(lines).encode()).hexdigest()} == digests


def test_tables_beyond_nine_sort_by_number():
    """Table 10 comes after table 9 and not after table 1."""
    names = [f"bot-{number:02}" for number in range(22)]
    tournament = begun(attrs.evolve(SETUP, kind=Kind.SWISS, rounds=1, concurrency=11), names)
    results = []
    while (game := tournament.next_game(anybody)) is not None:
        seats = tuple(SeatResult(**{**PLAIN_SEAT, "name": name, "bullheads": (1,)}) for name in game.names)
        digest = hashlib.sha256(str(game.id).encode()).hexdigest()
        results.append(GameResult(game=game.id, seats=seats, digest=digest, course="", referee_delay_ns=0))
    for ended in reversed(results):
        tournament.game_ended(ended)
    lines = [hashlib.sha256(f"r1t{table}g1".encode()).hexdigest() + "\n" for table in range(1, 12)]

    assert hashlib.sha256("".join(lines).encode()).hexdigest() == tournament.digest


# --- who is out ---------------------------------------------------------------------------------------------


def test_the_withdrawn_are_not_paired_in_swiss():
    """Hal withdraws in round 1: seven are paired from round 2 on, and somebody rests."""
    tournament = director(8, kind=Kind.SWISS, rounds=4)
    tournament.withdraw("hal", "test")
    play_out(tournament)
    seated = [{name for table in plan.tables for name in table.entrants} for plan in tournament.plans]

    assert [True, False, False, False] == ["hal" in names for names in seated]
    assert [0, 1, 1, 1] == [len(plan.byes) for plan in tournament.plans]
    assert tournament.is_withdrawn("hal")
    assert not tournament.is_withdrawn("ada")


def test_the_withdrawn_keep_their_places_in_a_round_robin():
    """The schedule is fixed: the opponents of hal find an empty seat."""
    tournament = director(8)
    before = play_out(director(8))
    tournament.withdraw("hal", "test")

    assert before == play_out(tournament)


@pytest.mark.parametrize("out", [7, 8])
def test_a_swiss_of_nearly_nobody_is_played_to_its_end(out):
    """All but one, or all, withdraw: everybody is paired still, so that there is an end."""
    tournament = director(8, kind=Kind.SWISS, rounds=3)
    for name in NAMES[:out]:
        tournament.withdraw(name, "test")
    play_out(tournament)

    assert tournament.complete
    assert [4, 4, 4] == [len(plan.tables) for plan in tournament.plans]


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_two_rounds_of_no_show_withdraw(kind):
    """Hal misses round 1 and is in; misses round 2 and is out."""
    tournament = director(8, kind=kind, rounds=3)
    out = []
    for _ in range(2):
        for game in [tournament.next_game(anybody) for _ in range(4)]:
            tournament.game_ended(result(game, absent={"hal"}))
        out.append(tournament.is_withdrawn("hal"))

    assert 2 == NO_SHOW_ROUNDS
    assert [False, True] == out
    assert [] == [name for name in NAMES if name != "hal" and tournament.is_withdrawn(name)]


def test_one_game_of_a_round_is_enough_to_have_been_there():
    """Two games a round: hal misses the first of each. He stays."""
    tournament = director(2, games=2, rounds=4)
    while not tournament.complete:
        game = tournament.next_game(anybody)
        tournament.game_ended(result(game, absent={"bob"} if game.id.game == 1 else ()))

    assert not tournament.is_withdrawn("bob")


def test_a_bye_is_no_no_show():
    """Who rests was not absent, whatever it did."""
    tournament = director(3, rounds=6)
    play_out(tournament)

    assert [False] * 3 == [tournament.is_withdrawn(name) for name in NAMES[:3]]


# --- decks --------------------------------------------------------------------------------------------------


def decks_of(tournament, game=None):
    """The decks of the first three deals of the first game, or of another."""
    setup = tournament.table_setup(game or tournament.next_game(anybody))
    return [tuple(setup.decks(number)) for number in (1, 2, 3)]


def test_decks_depend_on_seed_and_place_and_on_nothing_else():
    """Not on who plays, format, clock, concurrency, games, rounds, nonce, or when a game ends."""
    expected = [
        deck("director", DealId(round=1, table=1, deal_set=1, deal=deal), highest=104, count=24)
        for deal in (1, 2, 3)
    ]
    changes = (
        {},
        {"kind": Kind.SWISS},
        {"clock": ClockRules(move_ns=1)},
        {"concurrency": 7, "games": 3, "rounds": 5},
        {"nonce": bytes([1]) * 32},
        {"rules": Rules(target=66)},
    )

    assert [expected] * 6 == [decks_of(director(8, **change)) for change in changes]
    assert expected == decks_of(begun(SETUP, ("x", "y", "z")))


def test_another_seed_or_place_is_another_deck():
    """Each of seed, round, table, set and deal makes a difference."""
    tournament = director(8, games=2, rounds=2)
    games = play_out(tournament)
    decks = {each for game in games for each in decks_of(tournament, game)}

    assert 16 == len(games)
    assert 16 * 3 == len(decks)
    assert decks.isdisjoint(decks_of(director(8, seed="another")))


@pytest.mark.parametrize(("variant", "highest"), [(Variant.CLASSIC, 104), (Variant.TACTIC, 54)])
def test_the_deck_fits_the_variant_and_the_table(variant, highest):
    """Five at a table: 54 cards are dealt, out of 104 or of just these."""
    tournament = director(5, table_size=5, rules=Rules(variant=variant, target=None, deals=1))
    first = decks_of(tournament)[0]

    assert 54 == len(set(first))
    assert highest >= max(first)
    assert (highest == 54) == (set(first) == set(range(1, 55)))


def test_advanced_has_no_deck():
    """Cards are drafted from an open pool."""
    tournament = director(2, rules=Rules(variant=Variant.ADVANCED, target=None, deals=1))

    assert tournament.table_setup(tournament.next_game(anybody)).decks is None


def test_what_a_table_is_made_from():
    """Names, rules and clock as they are; numbers for bots follow from seed, game, entrant and decision."""
    tournament = director(2)
    game = tournament.next_game(anybody)
    setup = tournament.table_setup(game)

    assert (game.id, game.names, SETUP.rules, SETUP.clock) == (
        setup.game,
        setup.names,
        setup.rules,
        setup.clock,
    )
    assert setup.bot_seed("ada", "d1t2row") == bot_seed(
        "director", game="r1t1g1", entrant="ada", decision="d1t2row"
    )
    assert commitment(bytes(32), "director") == SETUP.commitment


def test_what_is_said_of_the_tournament_as_a_whole():
    """Facts for a report; complete only at the end."""
    tournament = director(4, games=3)

    assert not tournament.facts().complete

    play_out(tournament)
    facts = tournament.facts()

    assert ("classic", False, "director") == (facts.variant, facts.jumping_cow, facts.seed)
    assert (3, 2, 3, True) == (facts.rounds, facts.table_size, facts.games, facts.complete)
    assert 3 == tournament.round


def test_entrants_in_any_order_are_the_same_tournament():
    """Sorted by name: who joined first makes no difference."""
    assert play_out(begun(SETUP, NAMES)) == play_out(begun(SETUP, NAMES[::-1]))


# --- rounds that are held back -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Kind.ROUND_ROBIN, Kind.SWISS])
def test_no_game_of_a_later_round_starts_while_they_are_held_back(kind):
    """Four in pairs: after the two games of round 1 nothing starts until the bound is moved to round 3."""
    made = director(4, kind=kind, rounds=3)
    made.last_round_for_now = 1
    first = [made.next_game(anybody) for _ in range(3)]
    for game in first[:2]:
        made.game_ended(result(game))
    held = made.next_game(anybody)
    done = made.rounds_done
    made.last_round_for_now = 3

    assert [1, 1, None] == [game and game.id.round for game in first]
    assert held is None
    assert 1 == done
    assert 2 == made.next_game(anybody).id.round


def test_rounds_are_done_as_far_as_none_before_is_open():
    """With round 2 finished and round 1 not, none is done; with both, two are."""
    made = director(2, rounds=2, games=1)
    one, two = made.next_game(anybody), made.next_game(anybody)
    made.game_ended(result(two))
    before = made.rounds_done
    made.game_ended(result(one))

    assert (0, 2) == (before, made.rounds_done)
