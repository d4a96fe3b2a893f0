"""Who sits on which seat of a table: the exact assignment that repeats the fewest seats."""

import math
from collections.abc import Sequence


def seat_order(members: Sequence[int], counts: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Put the members of a table on its seats, so that the counts of the seats they get add up to the least.

    This is the assignment problem, solved by shortest augmenting paths (Kuhn and Munkres, in the form of
    Jonker and Volgenant), which is exact and takes the cube of the table's size. Among equals the order of
    `members` decides.

    Args:
        members: Who sits at the table.
        counts: How often each entrant has had each seat, `counts[entrant][seat]`.

    Returns:
        The members in the order of their seats.
    """
    if len(members) == 2:
        return _two(members[0], members[1], counts)
    owners = _assign([counts[member] for member in members], len(members))
    return tuple(members[row] for row in owners)


def seats_repeated(order: Sequence[int], counts: Sequence[Sequence[int]]) -> int:
    """How often the members had sat, added up, on the seats that this order gives them."""
    return sum(counts[member][seat] for seat, member in enumerate(order))


def _two(first: int, second: int, counts: Sequence[Sequence[int]]) -> tuple[int, int]:
    straight = counts[first][0] + counts[second][1]
    crossed = counts[second][0] + counts[first][1]
    return (first, second) if straight <= crossed else (second, first)


def _assign(costs: Sequence[Sequence[int]], size: int) -> list[int]:
    """For each seat the row that gets it, at the least total cost; seat `size` is a sentinel."""
    owner = [-1] * (size + 1)
    row_price = [0] * size
    seat_price = [0] * (size + 1)
    for row in range(size):
        owner[size] = row
        _augment(costs, size, owner, row_price, seat_price)
    return owner[:size]


def _augment(
    costs: Sequence[Sequence[int]], size: int, owner: list[int], row_price: list[int], seat_price: list[int]
) -> None:
    """Seat the row that waits at the sentinel, moving others along the cheapest chain of seats."""
    slack: list[float] = [math.inf] * size
    came_from = [size] * size
    reached = [False] * (size + 1)
    seat = size
    while owner[seat] != -1:
        reached[seat] = True
        row = owner[seat]
        base = row_price[row]
        nearest = -1
        for other in range(size):
            if reached[other]:
                continue
            price = costs[row][other] - base - seat_price[other]
            if price < slack[other]:
                slack[other], came_from[other] = price, seat
            if nearest < 0 or slack[other] < slack[nearest]:
                nearest = other
        step = int(slack[nearest])
        for other in range(size + 1):
            if reached[other]:
                row_price[owner[other]] += step
                seat_price[other] -= step
            elif other < size:
                slack[other] -= step
        seat = nearest
    while seat != size:
        owner[seat] = owner[came_from[seat]]
        seat = came_from[seat]
