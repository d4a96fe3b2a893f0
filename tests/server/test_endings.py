"""Ends: of a bot's part in it, of the tournament, and by the organiser (T5-END, T5-FAULT-06, T5-DEAL)."""

import hashlib
from fractions import Fraction

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Closing, GameEnd, GameStart, Leave, TournamentEnd, Welcome
from protocol.parts import ClosingBecause
from protocol.requests import ChooseCard, RequestClosed
from referee.play.table import STEPS_AT_ONCE
from referee.rules.variants import Rules, Variant
from referee.server.limits import ServerLimits
from referee.server.news import GameOver, Joined, RoundOver, RoundPlanned, TournamentOver, Withdrawn
from referee.tournament.model import Kind
from tests.server.network import MS, NAMES, NONCE, REQUESTS, START, S, World, answer_to, honest, silent, slow


def leave_at(number):
    """Play honestly, but leave on the request of this number instead of answering it."""

    def policy(bot, message):
        if isinstance(message, REQUESTS) and len(bot.all(*REQUESTS)) == number:
            return (Leave(),)
        return honest(bot, message)

    return policy


def test_t5_end_01_every_seat_that_is_connected_hears_the_end_of_its_game():
    """Ada plays, bob never answers and forfeits: both hear the same, with bob last."""
    world = World(rounds=1)
    ada = world.join("ada")
    bob = world.join("bob", silent)
    world.begin()
    world.play()
    (end,) = ada.all(GameEnd)

    assert [end] == bob.all(GameEnd)
    assert {"ada": False, "bob": True} == dict(zip(names_at_table(world), end.forfeited, strict=True))
    assert {"ada": 1, "bob": 2} == dict(zip(names_at_table(world), end.places, strict=True))


def names_at_table(world):
    """The entrants of the first game by seat."""
    return [seat.name for seat in world.results[0].seats]


def test_t5_end_02_tournament_end_and_closing_are_the_last_words():
    """Every bot that is connected gets both, the same standings, and its own line; who is away none."""
    world = World(NAMES[:4])
    bots = world.everybody()
    world.begin()
    world.run_until(lambda: len(world.results) == 4)
    away = bots[3]
    world.drop(away)
    world.play()
    here = bots[:3]

    assert [["tournament_end", "closing"]] * 3 == [bot.types[-2:] for bot in here]
    assert [ClosingBecause.FINISHED] * 3 == [bot.last().reason for bot in here]
    assert [None] * 3 == [bot.last().retry_ms for bot in here]
    assert 1 == len({bot.last(TournamentEnd).standings for bot in here})
    for bot in here:
        end = bot.last(TournamentEnd)
        assert bot.name == end.you.name
        assert end.you in end.standings
        assert end.complete
        assert world.points() == {line.name: line.points for line in end.standings}
    assert [] == away.all(TournamentEnd)
    assert [None] * 4 == [bot.wire for bot in bots]


def test_t5_end_02_who_never_played_hears_it_too():
    """Withdrawn, a second instance, late: whoever is connected at the end."""
    world = World(instances=2)
    world.everybody()
    idle = world.join("ada", number=2)
    world.begin()
    world.play()

    assert ["tournament_end", "closing"] == idle.types[-2:]


def test_t5_end_02_of_many_entrants_the_first_hundred_and_ones_own_line():
    """120 entrants at one round of tables of ten: 100 lines in the standings, and everybody's own besides."""
    names = [f"bot-{number:03}" for number in range(120)]
    world = World(names, table_size=10, kind=Kind.SWISS, rounds=1, concurrency=12)
    bots = world.everybody()
    world.begin()
    world.play()
    ends = [bot.last(TournamentEnd) for bot in bots]

    assert {100} == {len(end.standings) for end in ends}
    assert names == [end.you.name for end in ends]
    assert max(end.you.rank for end in ends) > 100


def test_t5_end_03_leave_is_answered_by_closing_and_the_game_goes_on_with_defaults_at_once():
    """Ada leaves in trick 3: her last word is `closing` (left); bob has won without a wait."""
    world = World()
    ada = world.join("ada", leave_at(3), events=True)
    bob = world.join("bob")
    world.begin()
    world.play()

    assert ["closing"] == ada.types[-1:]
    assert (ClosingBecause.LEFT, None) == (ada.last().reason, ada.last().retry_ms)
    assert [] == ada.all(GameEnd)
    assert ada.wire is None
    assert START + 1 * S == world.now
    assert ["1", "0"] == [world.points()["bob"], world.points()["ada"]]
    assert bob.all(GameEnd)[0].forfeited[bob.all(GameStart)[0].names.index("ada")]
    # The rest of the game counts three defaults, each for `gone`; then it is forfeited.
    assert {"gone": 3} == world.faults("ada")


def test_t5_end_03_a_later_hello_is_refused():
    """Name and secret are those of a bot that has left."""
    world = World()
    ada = world.join("ada", leave_at(1))
    world.join("bob", slow(500 * MS))
    world.begin()
    world.settle()
    ada.connect()
    world.run_for(1 * S)

    assert [ErrorCode.UNKNOWN_ENTRANT] == ada.codes


def test_t5_end_03_who_leaves_before_the_beginning_is_seated_nowhere():
    """Swiss, four entrants, one leaves at once: three are paired in round 1, whose plan was drawn before."""
    world = World(NAMES[:4], kind=Kind.SWISS, rounds=3)
    bots = world.everybody()
    world.settle()
    bots[0].say(Leave())
    world.begin()
    world.play()
    seated = [{name for table in plan.tables for name in table.entrants} for plan in world.director.plans]

    assert [True, False, False] == ["ada" in names for names in seated]
    assert [Withdrawn(entrant="ada", reason="left the tournament")] == [
        item for item in world.news if isinstance(item, Withdrawn)
    ]


def test_t5_end_03_other_instances_play_on():
    """One of two bots of ada leaves: ada is not withdrawn, and the other one plays all her games."""
    world = World(NAMES[:2], instances=2, games=3)
    first = world.join("ada", leave_at(1), number=1)
    second = world.join("ada", number=2)
    world.join("bob")
    world.begin()
    world.play()

    assert ["closing"] == first.types[-1:]
    assert not [item for item in world.news if isinstance(item, Withdrawn)]
    assert 2 == len(second.all(GameEnd))


def test_nothing_follows_leave():
    """An answer in the same packet behind `leave` is not read, and costs nothing."""
    world = World()
    ada, _ = world.everybody(silent)
    world.begin()
    world.settle()
    ada.say(ada.frames(Leave()) + b"\xff\xff\xff\xff")
    world.settle()

    assert ["closing"] == ada.types[-1:]
    assert [] == ada.codes


@pytest.mark.parametrize("variant", Variant)
def test_everybody_leaves(variant):
    """All leave in the middle of the first game of many: everything is played out at once, and complete."""
    rules = Rules(variant=variant, target=None, deals=2)
    world = World(NAMES[:4], games=3, rules=rules)
    bots = world.everybody(leave_at(2))
    world.begin()
    world.play()

    assert [["closing"]] * 4 == [bot.types[-1:] for bot in bots]
    assert 18 == len(world.results)
    assert START + 1 * S >= world.now - 1 * S
    assert [item for item in world.news if isinstance(item, TournamentOver)]


def test_a_table_that_all_leave_is_played_out_at_once():
    """The last bot answers and leaves at once: the rest, of more steps than a pass makes, needs no limit."""
    world = World(NAMES[:2], rounds=1, rules=Rules(target=None, deals=30))
    ada, bob = world.everybody(silent)
    world.begin()
    world.run_until(lambda: ada.all(ChooseCard) and bob.all(ChooseCard))
    bob.say(Leave())
    world.run_for(20 * MS)
    left_at = world.now
    ada.say(answer_to(ada.asked), Leave())
    world.run_until(lambda: world.results, within_ns=900 * MS)

    assert 30 * 10 > 2 * STEPS_AT_ONCE
    assert world.now - left_at < 100 * MS


def test_nobody_ever_comes():
    """The organiser opens an empty hall: every game is played out after three limits."""
    world = World(NAMES[:3], rounds=3)
    world.begin()
    world.run_until(lambda: world.engine.finished)

    assert 3 == len(world.results)
    assert START + 3 * 3 * (1 * S + 1) == world.now
    # One round each is a bye.
    assert {"ada": "1/2", "bob": "1/2", "cyd": "1/2"} == world.points()


def test_t5_fault_06_a_no_show_gets_nothing_and_is_withdrawn_after_two_rounds():
    """Swiss, four entrants, four rounds; dan never comes: no points, and none for beating him."""
    world = World(NAMES[:4], kind=Kind.SWISS, rounds=4)
    for name in NAMES[:3]:
        world.join(name)
    world.begin()
    world.play()
    seated = [{name for table in plan.tables for name in table.entrants} for plan in world.director.plans]
    missed = [result for result in world.results if any(seat.name == "dan" for seat in result.seats)]

    assert [True, True, False, False] == ["dan" in names for names in seated]
    assert [Withdrawn(entrant="dan", reason="missed two rounds")] == [
        item for item in world.news if isinstance(item, Withdrawn)
    ]
    assert "0" == world.points()["dan"]
    assert [1, 2] == [result.game.round for result in missed]
    assert all(seat.no_show == (seat.name == "dan") for result in missed for seat in result.seats)
    # 8 tables' worth of points would be 8; dan's two games gave his opponents a bye's half each, not 1.
    byes = sum(len(plan.byes) for plan in world.director.plans)
    games = len(world.results) - 2
    assert games + (byes + 2) / 2 == sum(map(Fraction, world.points().values()))


def test_t5_fault_06_who_came_once_in_a_round_was_there():
    """Two games a round; dan is connected only for a moment in one of each: he is not withdrawn."""
    world = World(NAMES[:2], kind=Kind.SWISS, rounds=3, games=2)
    world.join("ada")
    bob = world.join("bob", silent)
    world.drop(bob)
    world.begin()
    for number in range(1, 4):
        world.run_until(lambda number=number: world.director.round == number and world.engine.running == 1)
        world.run_for(10 * MS)
        bob.connect()
        world.run_for(10 * MS)
        world.drop(bob)
        world.run_until(lambda number=number: world.director.round > number or world.engine.finished)

    assert not [item for item in world.news if isinstance(item, Withdrawn)]
    assert [False, True] * 3 == [
        seat.no_show for r in world.results for seat in r.seats if seat.name == "bob"
    ]


def test_t5_deal_03_the_commitment_is_opened_at_the_end():
    """Everybody was told the hash of nonce and seed at the start, and both at the end."""
    world = World(seed="s3cr3t-ü")
    bots = world.everybody()
    world.begin()
    world.play()

    for bot in bots:
        end = bot.last(TournamentEnd)
        assert ("s3cr3t-ü", NONCE.hex()) == (end.seed, end.nonce)
        hashed = hashlib.sha256(bytes.fromhex(end.nonce) + end.seed.encode()).hexdigest()
        assert hashed == bot.last(Welcome).commitment


def test_t5_deal_03_nothing_shows_the_seed_before_the_end():
    """No message but the last but one holds it or the nonce."""
    world = World(seed="never-to-be-seen")
    bots = world.everybody(events=True)
    world.begin()
    world.play()

    for bot in bots:
        told = [message for message in bot.heard if "never-to-be-seen" in repr(message)]
        assert told == [message for message in bot.heard if NONCE.hex() in repr(message)]
        assert told == bot.all(TournamentEnd)


def test_t5_deal_05_the_digest_is_over_the_games_in_the_order_of_the_schedule():
    """Two tables and two games a round, many at once: sorted by round, table, set and game it comes out."""
    world = World(NAMES[:4], games=2, concurrency=8)
    bots = world.everybody(slow(7 * MS), games=4)
    world.begin()
    world.play()
    digests = {end.game: end.digest for bot in bots for end in bot.all(GameEnd)}
    order = [f"r{r}t{t}g{g}" for r in (1, 2, 3) for t in (1, 2) for g in (1, 2)]
    text = "".join(digests[game] + "\n" for game in order)
    ended = [item.result.game for item in world.news if isinstance(item, GameOver)]

    assert sorted(ended) != ended, "else this shows nothing"
    assert {hashlib.sha256(text.encode()).hexdigest()} == {bot.last(TournamentEnd).digest for bot in bots}


def test_the_organiser_stops_it():
    """Everybody hears `closing` (suspended), greeted or not, and nothing after it; no game ends."""
    world = World(NAMES[:2])
    bots = world.everybody(slow(10 * MS))
    guest = world.stranger()
    world.begin()
    world.run_for(35 * MS)
    late = world.stranger()
    world.suspend("The organiser stopped the tournament.")
    world.settle()

    assert [["closing"]] * 4 == [bot.types[-1:] for bot in (*bots, guest, late)]
    assert {ClosingBecause.SUSPENDED} == {bot.last().reason for bot in (*bots, guest, late)}
    assert [[], []] == [bot.all(TournamentEnd) for bot in bots]
    assert [] == world.results
    assert [None] * 4 == [bot.wire for bot in (*bots, guest, late)]


def test_news_in_order():
    """What people are told of a tournament of one game."""
    world = World(rounds=1)
    world.everybody()
    world.begin()
    world.play()

    expected = [Joined, Joined, RoundPlanned, GameOver, RoundOver, TournamentOver]
    assert expected == [type(item) for item in world.news][: len(expected)]


def test_a_bot_given_up_plays_its_next_game():
    """`give_up_games`: the game it is in is played by defaults at once, the next one is its own again."""
    world = World(games=2, rounds=1)
    ada = world.join("ada", silent, rejoin_ns=20 * MS)
    world.join("bob")
    world.begin()
    world.run_for(10 * MS)
    instance = world.engine.lobby.instances("ada")[0]
    instance.expected_until = world.now + 1 * S
    world.drop(ada)
    world.settle()
    ada.policy = honest
    world.engine.give_up_games(instance, world.now)
    world.run_for(1)
    first_over = world.now
    world.play()
    first, second = ([seat for seat in result.seats if seat.name == "ada"] for result in world.results)

    assert START + 10 * MS + 1 >= first_over
    assert (True, False) == (first[0].forfeited, second[0].forfeited)
    assert {} == second[0].faults
    assert len(ada.all(RequestClosed)) >= 10


def test_all_connections_are_full_and_the_tournament_goes_on():
    """Strangers take all the room there is for ten seconds; who is in plays on."""
    world = World(limits=ServerLimits(connections=4))
    world.everybody()
    strangers = [world.stranger() for _ in range(6)]
    world.begin()
    world.play()

    assert 4 == sum(ErrorCode.TOO_MANY_CONNECTIONS in stranger.codes for stranger in strangers)
    assert 1 == len(world.results)
    assert [Closing] * 2 == [type(bot.last()) for bot in world.bots[:2]]
