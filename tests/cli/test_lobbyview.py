"""What the organiser sees: who joins and leaves, rounds with their tables, and a sign of life."""

import io

import pytest

from referee.cli.lobbyview import SIGN_OF_LIFE_S, LobbyView
from referee.director import Director
from referee.server.news import Joined, Lost, News, Refused, RoundOver, RoundPlanned, TournamentOver
from tests.notes import begun
from tests.server.network import tournament
from tests.tournament.played import plan

ADA = Joined(entrant="ada", address="192.0.2.7:40000", client="mybot 1.2")


class Room:
    """A view, its clock, and what it wrote."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.now = 100.0
        self._stream = io.StringIO()
        self.view = LobbyView(self._stream, quiet=quiet, clock=lambda: self.now)

    def news(self, *items: News, director: Director | None = None, here: tuple[str, ...] = ()) -> list[str]:
        """Tell it news; return the lines it wrote about them."""
        self.view.news(items, director, here)
        return self.lines()

    def lines(self) -> list[str]:
        """Return what it wrote since the last call."""
        text = self._stream.getvalue()
        self._stream.seek(0)
        self._stream.truncate()
        return text.splitlines()


@pytest.fixture
def playing() -> Director:
    """Return a tournament that has begun."""
    return begun(tournament(), ["ada", "bob"])


def test_who_comes_and_goes() -> None:
    """From where, with what, why, and who is there then."""
    room = Room()

    assert ["ada is here with mybot 1.2 from 192.0.2.7:40000; 2 here: ada, bob"] == room.news(
        ADA, here=("bob", "ada")
    )
    assert ["bob is here from 192.0.2.8:1; 1 here: bob"] == room.news(
        Joined(entrant="bob", address="192.0.2.8:1", client=""), here=("bob",)
    )
    assert ["bob has gone: said goodbye; nobody is here"] == room.news(
        Lost(entrant="bob", reason="said goodbye")
    )


def test_many_are_counted_rather_than_named() -> None:
    """Twelve names and how many more."""
    here = tuple(f"b{number:02}" for number in range(15))
    (line,) = Room().news(ADA, here=here)

    assert line.endswith(f"; 15 here: {', '.join(here[:12])} and 3 more")


def test_a_round_has_a_line_for_each_table() -> None:
    """And for byes; the end of a round has one too."""
    room = Room()
    planned = RoundPlanned(plan=plan(2, ("ada", "bob"), ("cyd", "dan"), byes=("eve",)))

    assert [
        "round 2",
        "  table 1: ada, bob",
        "  table 2: cyd, dan",
        "  bye: eve",
        "round 2 is over",
    ] == room.news(planned, RoundOver(number=2))


def test_what_outsiders_say_cannot_steer_the_terminal() -> None:
    """Reasons and clients are escaped."""
    room = Room()
    lines = room.news(
        Joined(entrant="ada", address="x", client="\x1b[2J"), Lost(entrant="ada", reason="a\x1bb")
    )

    assert all(line.isprintable() for line in lines)


def test_losses_in_play_are_told_a_few_times_in_each_tournament(playing: Director) -> None:
    """Three lines for a bot that drops again and again; in the next tournament it is told anew."""
    room, lost = Room(), Lost(entrant="ada", reason="x")
    first = room.news(*[lost] * 5, TournamentOver(), lost, director=playing)
    room.news(RoundPlanned(plan=plan(1, ("ada", "bob"))), director=playing)

    assert 3 == len(first)
    assert ["ada lost its connection: x"] == room.news(lost, director=playing)


def test_strangers_do_not_flood_the_lobby() -> None:
    """A port scanner is told of three times."""
    assert 3 == len(Room().news(*[Refused(address="x:1", reason="no")] * 50))


@pytest.mark.parametrize("begun", [False, True])
def test_a_sign_of_life_after_a_silence(playing: Director, begun: bool) -> None:
    """Not before the time is up, and then again only after as long a silence."""
    room = Room()
    director = playing if begun else None
    room.now += SIGN_OF_LIFE_S - 0.1
    room.view.tick(director, ("ada",), 1)

    assert [] == room.lines()

    room.now += 0.1
    room.view.tick(director, ("ada",), 1)
    room.view.tick(director, ("ada",), 1)

    assert [
        "round 1 of 1, 0 of 1 games done, 1 tables running" if begun else "registration: 1 here: ada"
    ] == room.lines()


def test_quiet_answers_what_is_asked_and_nothing_else() -> None:
    """Commands have replies; all else is silence."""
    room = Room(quiet=True)
    room.view.say("hello")
    room.now += 100
    room.view.tick(None, (), 0)

    assert [] == room.news(ADA)

    room.view.answer("the reply")

    assert ["the reply"] == room.lines()
