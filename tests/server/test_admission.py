"""Who is let in: those expected, those listed, or everybody, by the first secret with a name."""

import pytest

from protocol.errors import ErrorCode, PeerError
from protocol.messages import Closing, Hello, Leave, Welcome
from protocol.parts import ClosingBecause
from referee.play.clock import Arrival
from referee.server import admission
from referee.server.admission import Admission, Expected, Listed, Open
from referee.server.engine import Engine
from referee.server.limits import ServerLimits
from referee.server.lobby import Lobby, hashed
from referee.tournament.model import Kind
from tests.server.network import NAMES, S, World, tournament

SECRETS = {"ada": {hashed("a1"), hashed("a2")}, "bob": {hashed("b")}}

HOME = "192.0.2.1"


def hello(name: str, secret: str) -> Hello:
    """Return what a bot says first."""
    return Hello(name=name, secret=secret, versions=(1,))


def refused(door: Admission, name: str, secret: str) -> tuple[ErrorCode, str]:
    """Return with what code and sentence a bot is turned away, for good."""
    with pytest.raises(PeerError) as caught:
        door.admit(hello(name, secret), HOME)
    assert caught.value.severity.value == "fatal"
    return caught.value.code, caught.value.sentence


def nobody_enters(name: str) -> None:
    """Refuse newcomers."""
    raise PeerError.fatal(ErrorCode.REGISTRATION_CLOSED, f"no {name}")


def open_world() -> World:
    """Return a world without entrants that lets everybody in."""
    world = World()
    lobby = Lobby(())
    world.engine = Engine(tournament(), lobby, Open(lobby, lambda name: None, 1000), ServerLimits())
    return world


def test_the_expected_are_let_in_and_nobody_else() -> None:
    """The same name and secret give the same instance."""
    lobby = Lobby(())
    ada = lobby.add_instance("ada", "s")
    door = Expected(lobby)

    assert ada is door.admit(hello("ada", "s"), HOME) is door.admit(hello("ada", "s"), HOME)
    assert {ErrorCode.UNKNOWN_ENTRANT} == {refused(door, "ada", "x")[0], refused(door, "bob", "s")[0]}


def test_each_listed_secret_is_an_instance_of_its_own() -> None:
    """Two bots of ada, one of bob; each is entered once, with its first bot."""
    lobby, entered = Lobby(()), []
    door = Listed(lobby, SECRETS, entered.append)
    first, second, again = (door.admit(hello("ada", secret), HOME) for secret in ("a1", "a2", "a1"))
    door.admit(hello("bob", "b"), HOME)

    assert first is again is not second
    assert ["ada", "bob"] == entered
    assert (2, 1) == (len(lobby.instances("ada")), len(lobby.instances("bob")))


@pytest.mark.parametrize(
    ("name", "secret"), [("zoe", "a1"), ("ada", "b"), ("ada", ""), ("ada", hashed("a1")), ("ada", "é")]
)
def test_a_name_or_secret_that_is_not_listed_gets_the_same_answer(name: str, secret: str) -> None:
    """The hash of a secret proves nothing either; and nobody is entered."""
    lobby = Lobby(())
    code, sentence = refused(Listed(lobby, SECRETS, nobody_enters), name, secret)

    assert (ErrorCode.UNKNOWN_ENTRANT, admission.unknown_entrant(name).sentence) == (code, sentence)
    assert () == lobby.entrants


def test_one_of_two_bots_that_leaves_stays_out_and_the_other_comes_and_goes() -> None:
    """Once both are gone, the entrant is, and a third secret of its own does not help."""
    lobby, secrets = Lobby(()), {"ada": {hashed("1"), hashed("2"), hashed("3")}}
    door = Listed(lobby, secrets, lambda name: None)
    first, second = (door.admit(hello("ada", secret), HOME) for secret in "12")
    first.retired = True

    assert ErrorCode.UNKNOWN_ENTRANT is refused(door, "ada", "1")[0]
    assert second is door.admit(hello("ada", "2"), HOME)

    second.retired = True

    assert ErrorCode.UNKNOWN_ENTRANT is refused(door, "ada", "3")[0]


@pytest.mark.parametrize("listed", [True, False])
def test_who_may_not_enter_is_told_why_and_leaves_no_trace(listed: bool) -> None:
    """As when the schedule is fixed; those who are in come back nevertheless."""
    lobby = Lobby(())
    bob = lobby.add_instance("bob", "b")
    door = Listed(lobby, SECRETS, nobody_enters) if listed else Open(lobby, nobody_enters, 1000)

    assert (ErrorCode.REGISTRATION_CLOSED, "no ada") == refused(door, "ada", "a1")
    assert bob is door.admit(hello("bob", "b"), HOME)
    assert ("bob",) == lobby.entrants


def test_in_the_open_the_first_secret_owns_the_name() -> None:
    """Only one bot a name: another secret is told that the name is taken, not that it is wrong."""
    lobby, entered = Lobby(()), []
    door = Open(lobby, entered.append, 1000)
    ada = door.admit(hello("ada", "mine"), HOME)

    assert ErrorCode.NAME_TAKEN is refused(door, "ada", "theirs")[0]
    assert ada is door.admit(hello("ada", "mine"), HOME)
    assert ["ada"] == entered

    lobby.forget("ada")

    assert ada is not door.admit(hello("ada", "theirs"), HOME)


def test_in_the_open_there_are_so_many_names_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two places the third is told so; a place that is free again is given away."""
    monkeypatch.setattr(admission, "OPEN_ENTRANTS", 2)
    lobby = Lobby(())
    door = Open(lobby, lambda name: None, 1000)
    for name in ("ada", "bob"):
        door.admit(hello(name, "s"), HOME)

    assert (ErrorCode.REGISTRATION_CLOSED, "All 2 places are taken.") == refused(door, "cyd", "s")

    lobby.forget("bob")
    door.admit(hello("cyd", "s"), HOME)

    assert ("ada", "cyd") == lobby.entrants


def test_who_was_forgotten_while_it_was_greeted_is_turned_away() -> None:
    """No ghost is let in for an instance that is no longer in the lobby."""
    world = open_world()
    bot = world.stranger()
    world.engine.received(bot.wire.number, bot.frames(hello("ada", "s")), Arrival.at(world.now), world.now)
    world.engine.lobby.forget("ada")
    world.settle()

    assert [ErrorCode.UNKNOWN_ENTRANT] == bot.codes
    assert [] == world.engine.entrants_here()


@pytest.mark.parametrize("same", [True, False], ids=["same secret", "other secret"])
def test_two_hellos_for_a_new_name_in_one_pass(same: bool) -> None:
    """With one secret the second takes over from the first; with two the second has come too late."""
    world = open_world()
    first = world.join(NAMES[0], secret="s")
    second = world.join(NAMES[0], secret="s" if same else "t")
    world.run_for(1 * S)

    if same:
        assert ClosingBecause.SUPERSEDED is first.last(Closing).reason
        assert ["welcome", "waiting"] == second.types
    else:
        assert ["welcome", "waiting"] == first.types
        assert [ErrorCode.NAME_TAKEN] == second.codes
    assert [NAMES[0]] == world.engine.entrants_here()


def test_who_left_before_the_start_is_withdrawn_from_it() -> None:
    """It is not paired in any round that is drawn from then on."""
    world = World(NAMES[:3], kind=Kind.SWISS, rounds=2)
    ada, *_ = world.everybody()
    world.settle()
    ada.say(Leave())
    world.begin()

    assert world.director.is_withdrawn("ada")


def test_faults_of_the_registration_count_once_it_is_over() -> None:
    """Two bytes of nonsense from ada end two connections; bob has none."""
    world = World(NAMES[:2])
    ada, _ = (world.join(name, rejoin_ns=1) for name in NAMES[:2])
    for _ in range(2):
        world.run_for(10)
        ada.say(b"\0\0\0\0")
    world.run_for(10)

    assert {} == world.faults("ada")

    world.begin()

    assert ({"violation": 2}, {}) == (world.faults("ada"), world.faults("bob"))


def test_here_is_who_is_connected_or_about_to_be_let_in() -> None:
    """A hello that was read counts before it is answered; a connection that ended no longer does."""
    world = open_world()
    ada = world.join("ada")
    world.settle()
    bob = world.stranger()
    world.engine.received(bob.wire.number, bob.frames(hello("bob", "s")), Arrival.at(world.now), world.now)

    assert ["ada", "bob"] == world.engine.entrants_here()

    world.drop(ada)
    world.settle()

    assert ["bob"] == world.engine.entrants_here()
    assert isinstance(bob.heard[0], Welcome)


def test_one_address_may_bind_so_many_names_and_no_more() -> None:
    """Two of a school; a third from there is refused, one from elsewhere let in; a free name makes room."""
    lobby = Lobby(())
    door = Open(lobby, lambda name: None, 2)
    for name in ("ada", "bob"):
        door.admit(hello(name, "s"), "school")
    with pytest.raises(PeerError) as caught:
        door.admit(hello("cyd", "s"), "school")
    door.admit(hello("dan", "s"), HOME)
    door.admit(hello("ada", "s"), "school")
    lobby.forget("bob")
    door.admit(hello("cyd", "s"), "school")

    assert ErrorCode.REGISTRATION_CLOSED is caught.value.code
    assert "2 names have come from your address" in caught.value.sentence
    assert ("ada", "dan", "cyd") == lobby.entrants


def test_a_listed_name_may_come_from_anywhere() -> None:
    """Whoever knows a secret was given it: three names of one address are let in, whatever the bound."""
    lobby = Lobby(())
    door = Listed(lobby, {name: {hashed(name)} for name in NAMES[:3]}, lambda name: None)
    for name in NAMES[:3]:
        door.admit(hello(name, name), HOME)

    assert NAMES[:3] == lobby.entrants
