"""Guessing secrets: the same answer after the same time, a few at once, and nobody locked out by it."""

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Error, Hello, Welcome
from referee.server.guesses import Guesses
from referee.server.limits import ServerLimits
from referee.server.news import Refused
from tests.server.network import MS, NAMES, S, World, secret


def wrong(world, name, number=0):
    """Let somebody try a secret that is not right."""
    return world.join(name, secret=f"guess {number}")


def test_an_unknown_name_and_a_wrong_secret_are_told_after_the_same_second():
    """Not a nanosecond earlier or later, and in the same words; a right secret is let in at once."""
    world = World()
    zoe, ada = wrong(world, "zoe"), wrong(world, "ada")
    bob = world.join("bob")
    world.run_for(1 * S - 1)

    assert [[], []] == [zoe.heard, ada.heard]
    assert Welcome is type(bob.heard[0])

    world.run_for(1)

    assert [[ErrorCode.UNKNOWN_ENTRANT]] * 2 == [zoe.codes, ada.codes]
    assert zoe.last(Error).message.replace("zoe", "ada") == ada.last(Error).message


def test_of_one_name_four_guesses_a_second_are_looked_at():
    """Ten at once: four are answered after one second, four after two, two after three."""
    world = World()
    guesses = [wrong(world, "ada", number) for number in range(10)]
    told = []
    for _ in range(3):
        world.run_for(1 * S)
        told.append(sum(bool(bot.codes) for bot in guesses))

    assert [4, 8, 10] == told
    assert {ErrorCode.UNKNOWN_ENTRANT} == {code for bot in guesses for code in bot.codes}


def test_of_one_address_eight_guesses_a_second_are_looked_at(monkeypatch):
    """Eighteen names are tried from one address: eight, eight, two."""
    monkeypatch.setattr("referee.server.peers.source_of", lambda host: "the same")
    world = World()
    guesses = [wrong(world, f"name-{number}") for number in range(18)]
    told = []
    for _ in range(3):
        world.run_for(1 * S)
        told.append(sum(bool(bot.codes) for bot in guesses))

    assert [8, 16, 18] == told


def test_to_hang_up_does_not_make_room_for_the_next_guess():
    """Who does not wait for the answer, to try again sooner, has gained nothing."""
    world = World()
    for number in range(4):
        guess = wrong(world, "ada", number)
        world.settle()
        world.drop(guess)
    right = world.join("ada")
    world.run_for(1 * S - 1)

    assert [] == right.heard

    world.run_for(1)

    assert Welcome is type(right.heard[0])


def test_a_right_secret_waits_for_its_turn_behind_guesses_from_the_same_address_and_is_let_in():
    """Twelve guesses before it, four a second: the bot is in after three seconds, though they go on."""
    world = World()
    for number in range(12):
        wrong(world, "ada", number)
    ada = world.join("ada")
    for number in range(12, 100):
        wrong(world, "ada", number)
    world.run_for(3 * S - 1)

    assert [] == ada.heard

    world.run_for(1)

    assert Welcome is type(ada.heard[0])


def test_a_right_secret_from_elsewhere_comes_before_guesses_of_who_has_guessed(monkeypatch):
    """200 guesses of one address wait when the bot comes from another: it has the next place."""
    monkeypatch.setattr("referee.server.peers.source_of", lambda host: host[:1])
    world = World()
    crowd = [world.stranger() for _ in range(200)]
    for number, bot in enumerate(crowd):
        bot.say(Hello(name="ada", secret=str(number), versions=(1,)))
    ada = world.join("ada")
    world.run_for(1 * S)

    assert Welcome is type(ada.heard[0])
    assert 4 == sum(bool(bot.codes) for bot in crowd)


def test_a_thousand_right_secrets_at_once_wait_for_nothing(monkeypatch):
    """As when a referee comes back to a classroom of bots with one address: only wrong ones take places."""
    monkeypatch.setattr("referee.server.peers.source_of", lambda host: "school")
    names = [f"bot-{number}" for number in range(1000)]
    world = World(names, limits=ServerLimits(connections_per_address=1000))
    bots = world.everybody()
    world.settle()

    assert {Welcome} == {type(bot.heard[0]) for bot in bots}


def test_a_looping_bot_with_a_wrong_secret_disturbs_nobody_of_its_address(monkeypatch):
    """It comes back the moment it is refused, for a minute: 60 refusals, and ada is let in at once."""
    monkeypatch.setattr("referee.server.peers.source_of", lambda host: "school")
    world = World()
    looping = wrong(world, "bob")
    looping.rejoin_ns = 0
    world.run_for(30 * S)
    ada = world.join("ada")
    world.settle()
    world.run_for(30 * S)

    assert Welcome is type(ada.heard[0])
    assert 60 == len(looping.codes)
    assert 60 == len([item for item in world.news if isinstance(item, Refused)])


@pytest.mark.parametrize("gone", [True, False], ids=["gone", "here"])
def test_who_waits_may_go_and_what_comes_behind_a_hello_is_refused(gone):
    """A fifth guess waits; it hangs up, or says more than hello: either way it is not looked at any more."""
    world = World()
    for number in range(4):
        wrong(world, "ada", number)
    fifth = world.join("ada")
    world.settle()
    if gone:
        world.drop(fifth)
    else:
        fifth.say(b"\0\0\0\1\x80")
    world.run_for(3 * S)
    reception = world.engine._reception

    assert [[], [ErrorCode.UNKNOWN_TYPE]][not gone] == fifth.codes
    assert [{}, {}] == [reception._guesses._waiting, reception._refused]
    assert world.engine.lobby.instances("ada")[0].peer is None


def test_a_guess_that_waited_takes_over_as_any_hello_does():
    """The second connection of ada, whose turn comes later, supersedes the first."""
    world = World()
    first = world.join("ada")
    world.settle()
    for number in range(4):
        wrong(world, "ada", number)
    second = world.join("ada")
    world.run_for(1 * S)

    assert ["welcome", "waiting", "closing"] == first.types
    assert ["welcome", "waiting"] == second.types


def test_a_guesser_costs_the_others_nothing():
    """Two bots play to the end while hundreds of guesses come in: no fault, no late answer."""
    world = World()
    world.everybody()
    world.begin()
    for number in range(300):
        world.after(number * MS, lambda number=number: wrong(world, NAMES[number % 2], number))
    world.play()

    assert [{}, {}] == [world.faults(name) for name in NAMES[:2]]
    assert secret("ada") not in str(world.news)


def test_who_has_proven_a_name_does_not_wait_for_what_others_try_elsewhere():
    """Four guesses fill the places of ada's name, but not for where she came from; eight from there do."""
    guesses = Guesses(ServerLimits())
    for _ in range(4):
        guesses.add("elsewhere", "ada", 0)
    before = guesses.allows("home", "ada", 0)
    guesses.prove("home", "ada")

    assert not before
    assert guesses.allows("home", "ada", 0)
    assert not guesses.allows("somewhere", "ada", 0)

    for number in range(8):
        guesses.add("home", f"name-{number}", 0)

    assert not guesses.allows("home", "ada", 0)


def test_only_the_last_addresses_of_a_name_are_remembered():
    """A ninth one takes the place of the first."""
    guesses = Guesses(ServerLimits())
    for _ in range(4):
        guesses.add("elsewhere", "ada", 0)
    for number in range(9):
        guesses.prove(f"home {number}", "ada")

    assert [False, True, True] == [guesses.allows(f"home {number}", "ada", 0) for number in (0, 1, 8)]
