"""Help for the tests of the record: its lines written a second time, from events or from messages."""

import enum
import hashlib
import json
import re

from protocol.messages import DealEnd, DealStart, Drafted, DraftEnd, TrickResult
from referee.play.events import GameClosed

IN_THE_RECORD = {
    "deal_started": ("deal", "hands", "rows", "cow", "pool", "opener"),
    "card_drafted": ("deal", "pick", "seat", "card"),
    "draft_ended": ("deal", "hands", "rows", "cow"),
    "defaulted": ("deal", "trick", "seat", "kind", "choice", "reason"),
    "cards_revealed": ("deal", "trick", "cards"),
    "row_taken": ("deal", "trick", "seat", "row", "cards", "bullheads"),
    "card_placed": ("deal", "trick", "seat", "card", "row"),
    "cow_jumped": ("deal", "trick", "from_row", "to_row"),
    "seat_forfeited": ("seat",),
    "deal_ended": ("deal", "bullheads", "totals"),
}
"""The lines between the first and the last, with their fields."""


def plain(value):
    """Turn what an event holds into what JSON knows."""
    if isinstance(value, enum.Enum):
        return value.value
    return list(map(plain, value)) if isinstance(value, tuple) else value


def digest_of(lines):
    """Hash lines as the contract says: JSON with sorted keys and no spaces, a newline after each."""
    text = "".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def header_of(bench):
    """Write the first line from the set-up."""
    setup = bench.table.setup
    return {
        "event": "game",
        "game": f"r{setup.game.round}t{setup.game.table}g{setup.game.game}",
        "round": setup.game.round,
        "table": setup.game.table,
        "set": setup.game.deal_set,
        "number": setup.game.game,
        "names": list(setup.names),
        "variant": setup.rules.variant.value,
        "jumping_cow": setup.rules.jumping_cow,
        "target": setup.rules.target,
        "deals": setup.rules.deals,
    }


def lines_of(bench):
    """Write the record of a finished game from its events."""
    lines = [header_of(bench)]
    for event in bench.events:
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
        if name in IN_THE_RECORD:
            values = {field: plain(getattr(event, field)) for field in IN_THE_RECORD[name]}
            lines.append({"event": name, **values})
    (closed,) = bench.of(GameClosed)
    end = {"totals": closed.totals, "places": closed.places, "forfeited": closed.forfeited}
    return [*lines, {"event": "game_ended", **{name: plain(value) for name, value in end.items()}}]


def lines_from_messages(bench):
    """Write the record of a game without defaults from what events bots of all seats were told, alone."""
    lines = [header_of(bench)]
    cow = None
    for place, message in enumerate(bench.told[0]):
        seen = [told[place] if isinstance(told[place], DealStart) else None for told in bench.told.values()]
        match message:
            case DealStart():
                cow = message.cow
                fields = ("deal", "rows", "cow", "pool", "opener")
                hands = [list(start.hand) for start in seen]
                lines.append({"event": "deal_started", "hands": hands, **pick(message, fields)})
            case Drafted():
                lines.append({"event": "card_drafted", **pick(message, ("deal", "pick", "seat", "card"))})
            case DraftEnd():
                cow = message.cow
                lines.append({"event": "draft_ended", **pick(message, ("deal", "hands", "rows", "cow"))})
            case TrickResult():
                trick, cow = lines_of_trick(message, cow)
                lines += trick
            case DealEnd():
                lines.append({"event": "deal_ended", **pick(message, ("deal", "bullheads", "totals"))})
    end = pick(bench.end(), ("totals", "places", "forfeited"))
    return [*lines, {"event": "game_ended", **end}]


def pick(message, fields):
    """Take some fields of a message."""
    return {field: plain(getattr(message, field)) for field in fields}


def lines_of_trick(result, cow):
    """Write the lines of one trick; the first take from the card's own row comes before the card."""
    when = {"deal": result.deal, "trick": result.trick}
    lines = [{"event": "cards_revealed", **when, "cards": list(result.cards)}]
    for laid in result.placements:
        takes = [
            {"event": "row_taken", **when, "seat": laid.seat, **pick(take, ("row", "cards", "bullheads"))}
            for take in laid.takes
        ]
        if takes and takes[0]["row"] == laid.row:
            lines.append(takes.pop(0))
        lines.append({"event": "card_placed", **when, **pick(laid, ("seat", "card", "row"))})
        for row in laid.jumps:
            lines.append({"event": "cow_jumped", **when, "from_row": cow, "to_row": row})
            cow = row
            if takes:
                lines.append(takes.pop(0))
    return lines, cow
