"""Swiss rounds at tables of two: the exact least-cost matching."""

import attrs

from referee.tournament.cost import repeat_cost
from referee.tournament.field import Field
from referee.tournament.seating import seat_order, seats_repeated

_WINDOW = 30
_WIDEST_WITH_WEIGHT = 240


@attrs.frozen(kw_only=True)
class _Edge:
    """A pair that might be drawn and the parts of its cost, in the order in which they weigh."""

    one: int
    other: int
    parts: tuple[int, int, int, int]


def match(
    field: Field, resting: frozenset[int], repeat_weight: int | None = None
) -> tuple[list[tuple[int, int]], int | None]:
    """Pair the field, two by two, at the least cost.

    Only pairs within a window of ranks are looked at, since a good pairing has no others; the window widens
    for as long as somebody meets again, until it holds the whole field. Neighbours in rank are always
    inside, so there is always a pairing. Where a repeat has a weight it may well be the best, so the window
    widens to 240 ranks at most.

    Args:
        field: Who plays.
        resting: With an odd field, those of whom one is to rest; else empty.
        repeat_weight: How many squared points a first repeat costs; None if more than all of them.

    Returns:
        The pairs, by rank, and who rests.
    """
    window = _WINDOW
    widest = field.size if repeat_weight is None else _WIDEST_WITH_WEIGHT
    while True:
        pairs, rests = _match_within(field, resting, window, repeat_weight)
        if window >= widest or not any(other in field.met[one] for one, other in pairs):
            return pairs, rests
        window *= 2


def _match_within(
    field: Field, resting: frozenset[int], window: int, repeat_weight: int | None
) -> tuple[list[tuple[int, int]], int | None]:
    import rustworkx  # late: it takes longer to load than most commands take to run

    edges = _edges(field, window, repeat_weight)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(field.size + bool(resting)))
    weights = _weights(edges, field.size)
    heaviest = max(weights, default=0) + 1
    graph.add_edges_from(
        [(edge.one, edge.other, heaviest - weight) for edge, weight in zip(edges, weights, strict=True)]
    )
    graph.add_edges_from([(rank, field.size, heaviest) for rank in sorted(resting)])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    pairs = sorted((min(pair), max(pair)) for pair in found)
    rests = next((one for one, other in pairs if other == field.size), None)
    return [pair for pair in pairs if pair[1] < field.size], rests


def _edges(field: Field, window: int, repeat_weight: int | None) -> list[_Edge]:
    return [
        _Edge(one=one, other=other, parts=_parts(field, one, other, repeat_weight))
        for one in range(field.size)
        for other in range(one + 1, min(one + window + 1, field.size))
    ]


def _parts(field: Field, one: int, other: int, repeat_weight: int | None) -> tuple[int, int, int, int]:
    repeats = repeat_cost(field.met[one].get(other, 0))
    spread = (field.points[one] - field.points[other]) ** 2
    if repeat_weight is not None:
        repeats, spread = 0, spread + round(repeats * repeat_weight * field.point**2)
    return (
        repeats,
        spread,
        seats_repeated(seat_order((one, other), field.seats), field.seats),
        (field.shuffle[one] - field.shuffle[other]) ** 2,
    )


def _weights(edges: list[_Edge], size: int) -> list[int]:
    """Make one integer of each edge's parts, in which no sum over a round outweighs the part before it."""
    units = [1, 1, 1, 1]
    for part in (2, 1, 0):
        most = max((edge.parts[part + 1] for edge in edges), default=0)
        units[part] = units[part + 1] * (most * size + 1)
    return [sum(part * unit for part, unit in zip(edge.parts, units, strict=True)) for edge in edges]
