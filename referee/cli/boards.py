"""A game drawn for people: rows, who played what and what came of it."""

from collections.abc import Iterator, Sequence

from protocol.parts import ClosedBecause, Placement
from referee.cli.cells import plain
from referee.play.clock import NS_PER_MS
from referee.replaying import Choice, Course, DealCourse, Rows, Trick
from referee.rules.cards import bullheads
from referee.rules.decisions import DecisionKind

_ROOM = 6
"""Cards a row is drawn with: five, and with the cow now and then one more."""

_REASONS = {
    ClosedBecause.LATE: "late",
    ClosedBecause.ILLEGAL: "three wrong answers",
    ClosedBecause.GONE: "gone",
    ClosedBecause.FORFEITED: "forfeited",
}


def opening_lines(shown: Course) -> list[str]:
    """Return what is played, and by whom."""
    setup = shown.setup
    game, rules = setup.game, setup.rules
    cow = " with the jumping cow" if rules.jumping_cow else ""
    length = f"to {rules.target} bullheads" if rules.deals is None else f"deals: {rules.deals}"
    seats = ", ".join(f"{seat} {plain(name)}" for seat, name in enumerate(setup.names))
    return [
        f"game {game}: round {game.round}, table {game.table}, game {game.game};"
        f" {rules.variant.value}{cow}, {length}",
        f"seats: {seats}",
    ]


def deal_lines(deal: DealCourse, names: Sequence[str]) -> list[str]:
    """Return how a deal begins: the draft, the hands, the rows."""
    return [
        "",
        f"deal {deal.number}",
        *_draft(deal, names),
        *_hands(deal, names),
        *_board(deal.rows, deal.cow),
    ]


def trick_lines(trick: Trick, names: Sequence[str]) -> list[str]:
    """Return what happened in a trick, and the rows after it."""
    width = max(map(len, map(plain, names)))
    cards = {choice.seat: choice for choice in trick.choices if choice.kind is DecisionKind.CARD}
    row = next((choice for choice in trick.choices if choice.kind is DecisionKind.ROW), None)
    lines = ["", f"trick {trick.number}"]
    lines += [f"  {plain(names[seat])} has forfeited the game" for seat in trick.forfeits]
    for placement in trick.placements:
        seat = placement.seat
        chosen = row if row is not None and row.seat == seat else None
        did = ", ".join(_did(placement, chosen))
        time = _time(cards[seat])
        lines.append(f"  {plain(names[seat]):{width}} {placement.card:3}  {time:>8}  {did}")
    return lines + _board(trick.rows_after, trick.cow_after)


def moment_lines(deal: DealCourse, trick: Trick) -> list[str]:
    """Return where a deal stood before a trick."""
    return [
        "",
        f"deal {deal.number}, before trick {trick.number}",
        *_board(trick.rows_before, trick.cow_before),
    ]


def score_lines(deal: DealCourse, names: Sequence[str]) -> list[str]:
    """Return what a deal cost."""
    if deal.bullheads is None or deal.totals is None:
        return []
    return [
        "",
        f"after deal {deal.number}: "
        + ", ".join(
            f"{plain(name)} {total} (+{taken})"
            for name, taken, total in zip(names, deal.bullheads, deal.totals, strict=True)
        ),
    ]


def ending_lines(shown: Course) -> list[str]:
    """Return how the game ended."""
    if shown.end is None:
        return ["", "the game is not over"]
    end, names = shown.end, shown.setup.names
    order = sorted(range(len(names)), key=lambda seat: (end.places[seat], seat))
    lines = [
        f"  {end.places[seat]}. {plain(names[seat])}, {end.totals[seat]} bullheads"
        f"{' (forfeited)' if end.forfeited[seat] else ''}"
        for seat in order
    ]
    return ["", "places", *lines, f"digest {end.digest}"]


def _draft(deal: DealCourse, names: Sequence[str]) -> list[str]:
    return [
        f"  pick {number}: {plain(names[pick.seat])} takes {pick.choice} ({_time(pick)})"
        for number, pick in enumerate(deal.picks, 1)
    ]


def _hands(deal: DealCourse, names: Sequence[str]) -> list[str]:
    width = max(map(len, map(plain, names)))
    return [
        f"  {plain(name):{width}}  {' '.join(f'{card:3}' for card in hand)}".rstrip()
        for name, hand in zip(names, deal.hands, strict=True)
    ]


def _board(rows: Rows, cow: int | None) -> list[str]:
    """Draw the rows; none lie on the table during a draft."""
    return [_row(index, cards, cow == index) for index, cards in enumerate(rows) if cards]


def _row(index: int, cards: Sequence[int], cow: bool) -> str:
    drawn = " ".join(f"{card:3}" for card in cards).ljust(4 * _ROOM - 1)
    return f"  row {index} |{drawn} | {bullheads(cards):2}{'  cow' if cow else ''}"


def _did(placement: Placement, chosen: Choice | None) -> Iterator[str]:
    """Say what a card did: where it came to lie, what was taken, where the cow went."""
    if chosen is None:
        yield f"to row {placement.row}"
    else:
        yield f"too low: chooses row {chosen.choice} ({_time(chosen)})"
    for take in placement.takes:
        heads = "1 bullhead" if take.bullheads == 1 else f"{take.bullheads} bullheads"
        yield f"takes {' '.join(map(str, take.cards))} of row {take.row} for {heads}"
    for row in placement.jumps:
        yield f"the cow jumps to row {row}"


def _time(choice: Choice) -> str:
    """Return the think time, or why it was decided by default."""
    if choice.took_ns is None:
        return f"default: {_REASONS[choice.reason]}"
    return f"{choice.took_ns / NS_PER_MS:.1f} ms"
