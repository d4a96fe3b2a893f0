"""How long a tournament will take: a rough guess before it starts, better ones from what has been played."""

import math

import attrs

from referee.rules.variants import Rules

ANSWER_S = 0.001
"""Seconds of one processor for a decision of a bot that answers at once, the referee's share included: as
measured with the sample bots, within a factor of two."""

START_S = 1.0
"""Seconds that bots take to start; a guess for small programs in an interpreted language."""

TRICKS = 10

_MEAN = {2: 8.2, 3: 10.8, 4: 12.1, 5: 13.0, 6: 13.6, 7: 14.0, 8: 14.3, 9: 14.5, 10: 14.7}
"""Bullheads a deal of one seat by the number of seats, of bots that play at random: known figures of the
game, those for 7 and 9 put between their neighbours."""

_DEVIATION = 8.9
"""Standard deviation of the bullheads of one seat in one deal at a table of four: that of the difference of
two seats, 12.6, divided by the square root of two."""


@attrs.frozen(kw_only=True)
class Span:
    """The shortest and the longest that a tournament is likely to take.

    Attributes:
        quick: Seconds if all bots answer at once.
        slow: Seconds if no bot answers before its limit.
    """

    quick: float
    slow: float


def first_guess(
    *, games: int, rules: Rules, seats: int, concurrency: int, processors: int, move_s: float
) -> Span:
    """Guess the duration before anything has been played.

    Args:
        games: Games to be played.
        rules: What is played.
        seats: Seats at a table.
        concurrency: Tables that run at once.
        processors: Processors that referee and bots share.
        move_s: The limit of a decision, in seconds.
    """
    tricks = TRICKS * deals_of_a_game(rules, seats)
    work = games * tricks * seats * ANSWER_S
    waves = math.ceil(games / concurrency)
    return Span(quick=START_S + work / min(concurrency, processors), slow=START_S + waves * tricks * move_s)


def deals_of_a_game(rules: Rules, seats: int) -> int:
    """Guess how many deals a game lasts: until the worst of the seats can be expected at the target.

    The total of a seat after d deals has the mean d * m and a deviation of s * sqrt(d); the worst of n seats
    is about sqrt(2 ln n) / 1.6 deviations above it (near enough to the normal order statistics for n to 10).
    """
    if rules.deals is not None or rules.target is None:
        return rules.deals or 1
    above = math.sqrt(2 * math.log(seats)) / 1.6 * _DEVIATION
    mean = _MEAN[min(max(seats, 2), 10)]
    # d * mean + above * sqrt(d) = target, solved for sqrt(d)
    root = (math.sqrt(above**2 + 4 * mean * rules.target) - above) / (2 * mean)
    return max(1, math.ceil(root**2))


def time_left(*, done: int, planned: int, seconds: float) -> float | None:
    """Return the seconds that the rest will take at the pace so far; None before the first game has ended."""
    if not done:
        return None
    return seconds * max(0, planned - done) / done


def spoken(seconds: float) -> str:
    """Return a duration as one would say it: `8 s`, `3 min`, `2.5 h`, `12 days`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{round(seconds / 86400)} days"
