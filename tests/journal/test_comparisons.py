"""The evidence for ratings that a journal holds."""

from collections import Counter
from collections.abc import Iterator

from referee.journal.comparisons import evidence_of
from referee.journal.reading import Reading
from referee.play.clock import ClockRules
from referee.rules.variants import Rules, Variant
from tests.journal.keeping import MS, Evening, Request, begin

PATIENT = ClockRules(move_ns=20 * MS, grace_ns=0, bank_ns=0, strikes=0)


class Sleeping(Evening):
    """Everybody is there and nobody ever answers, so all is decided by default, alike in each game."""

    def _actions(self, asked: Request) -> Iterator[tuple[int, str]]:
        return iter(())


def sleeping(variant: Variant) -> Reading:
    """Four at one table, in one round of six games of one deal."""
    evening = begin(
        names=("ada", "bob", "cyd", "dan"),
        rounds=1,
        games=6,
        rules=Rules(variant=variant, target=None, deals=1),
        clock=PATIENT,
    )
    return Sleeping(evening.director).play().director.journal.reading()


def test_it_is_what_the_games_say(reading: Reading) -> None:
    """Each game adds each of its pairs that were there, and two half points; whoever never came has none."""
    evidence = evidence_of(reading)
    met: Counter[frozenset[str]] = Counter()
    for result in reading.results():
        here = [seat.name for seat in result.seats if not seat.no_show]
        met.update(frozenset((one, other)) for one in here for other in here if one < other)

    assert {
        frozenset(evidence.names[number] for number in pair): total.games
        for pair, total in evidence.totals.items()
    } == met
    assert evidence.games == len(list(reading.results()))
    assert (0, 0) == evidence.involvements[evidence.names.index("ida")]


def test_a_pair_by_hand() -> None:
    """Of three games of two, the first has two half points for each in which it took fewer bullheads."""
    reading = begin(names=("ada", "bob"), rounds=1, games=3, honest=True).play().director.journal.reading()
    totals = [{seat.name: sum(seat.bullheads) for seat in one.seats} for one in reading.results()]
    halves = sum(2 if one["ada"] < one["bob"] else 1 if one["ada"] == one["bob"] else 0 for one in totals)

    assert [(halves, 3, 6)] == list(evidence_of(reading).totals.values())


def test_identical_games_count_once_where_nothing_is_left_to_chance() -> None:
    """In the advanced variant the fifth game has the opener of the first, and the sixth that of the second.

    In the classic variant each has a deck of its own.
    """
    advanced, classic = (evidence_of(sleeping(variant)) for variant in (Variant.ADVANCED, Variant.CLASSIC))

    assert (6, 4) == (advanced.games, advanced.distinct)
    assert (6, 6) == (classic.games, classic.distinct)
