"""A journal as lines for other programs: the canonical record, results and decisions.

The record is the lines of `play.record` of every game that has ended and counts, in the order (round, table,
set, game): the bytes over which the digests are made, the same however often a tournament was interrupted.
"""

import json
from collections.abc import Iterator, Sequence

from referee.journal.overview import GameState, state_of
from referee.journal.reading import Reading, StoredGame
from referee.journal.scores import score_of
from referee.play.clock import NS_PER_MS
from referee.play.events import GameClosed
from referee.play.record import closing_line, event_line, header_line
from referee.play.results import GameResult, final_places
from referee.replaying import played
from referee.setup import TournamentSetup, table_setup
from referee.tournament.points import game_points, winners

Row = Sequence[str | int]

RESULT_COLUMNS = (
    "game", "round", "table", "set", "number", "seat", "name", "place", "bullheads", "points",
    "points_decimal", "won", "forfeited", "no_show", "deals", "answers", "slowest_ms", "faults", "digest",
)  # fmt: skip
"""The columns of `results`."""

DECISION_COLUMNS = (
    "game", "round", "table", "set", "number", "deal", "trick", "seat", "name", "kind", "choice", "reason",
    "took_ms",
)  # fmt: skip
"""The columns of `decisions`; the trick is 0 in a draft, the time is empty for a default."""


def record(reading: Reading) -> Iterator[bytes]:
    """Give the canonical record, line by line.

    Raises:
        JournalUnusable: The journal is damaged.
        ValueError: A game cannot be replayed.
    """
    setup = TournamentSetup.of(reading.head)
    for game in reading.games():
        if state_of(reading, game) is GameState.DONE:
            yield from game_record(reading, setup, game)


def everything(reading: Reading) -> Iterator[bytes]:
    """Give the record and what is not in it, on lines with events of their own.

    `tournament` opens, `status` comes before each game and `fault` after it, `log` and `tournament_ended`
    close. Games that are void, unfinished or unplayed are among them, as far as they go. Without the
    lines of these events and games, what is left is the record.

    Raises:
        JournalUnusable: The journal is damaged.
        ValueError: A game cannot be replayed.
    """
    setup = TournamentSetup.of(reading.head)
    yield _line(
        event="tournament",
        command=reading.head.command,
        kind=setup.kind.value,
        commitment=setup.commitment,
        entrants=[entrant.name for entrant in reading.entrants()],
    )
    faults = reading.faults()
    for game in reading.games():
        yield _line(event="status", game=str(game.id), status=state_of(reading, game).value)
        yield from game_record(reading, setup, game)
        for seat, fault in faults.get(game.number, ()):
            yield _line(event="fault", game=str(game.id), seat=seat, kind=fault.value)
    for entry in reading.log():
        yield _line(event="log", at=entry.at, kind=entry.kind, data=entry.data)
    if reading.ending is not None:
        yield _line(
            event="tournament_ended",
            ending=reading.ending,
            nonce=setup.nonce.hex(),
            seed=setup.seed,
            digest=reading.digest,
        )


def game_record(reading: Reading, setup: TournamentSetup, game: StoredGame) -> Iterator[bytes]:
    """Give the lines of one game, as far as it was played.

    Raises:
        JournalUnusable: Its steps cannot be read.
        ValueError: It cannot be replayed.
    """
    yield header_line(game.id, game.names, setup.rules)
    for _, events in played(table_setup(setup, game.id, game.names), reading.steps(game)):
        for event in events:
            if isinstance(event, GameClosed):
                yield closing_line(event.totals, event.places, event.forfeited)
            elif line := event_line(event):
                yield line


def results(reading: Reading) -> Iterator[Row]:
    """Give `RESULT_COLUMNS` of each seat of each game that has ended and counts.

    Raises:
        JournalUnusable: The journal is damaged.
    """
    for result in reading.results():
        yield from _seats(result)


def decisions(reading: Reading) -> Iterator[Row]:
    """Give `DECISION_COLUMNS` of each decision of each game that counts, also of those being played.

    Raises:
        JournalUnusable: The journal is damaged.
        ValueError: A game cannot be replayed.
    """
    setup = TournamentSetup.of(reading.head)
    for game in reading.games():
        if game.void:
            continue
        for choices, _ in played(table_setup(setup, game.id, game.names), reading.steps(game)):
            for one in choices:
                yield (
                    *_place(game),
                    one.deal,
                    one.trick,
                    one.seat,
                    game.names[one.seat],
                    one.kind.value,
                    one.choice,
                    one.reason.value,
                    "" if one.took_ns is None else _ms(one.took_ns),
                )


def _seats(result: GameResult) -> Iterator[Row]:
    score = score_of(result)
    points, first = game_points(score), winners(score)
    totals = [seat.total for seat in score.seats]
    places = final_places(totals, [seat.forfeited for seat in result.seats])
    for seat, entry in enumerate(result.seats):
        yield (
            *_place(result),
            seat,
            entry.name,
            places[seat],
            totals[seat],
            str(points[entry.name]),
            f"{float(points[entry.name]):.4f}",
            int(entry.name in first),
            int(entry.forfeited),
            int(entry.no_show),
            score.deals,
            len(entry.took_ns),
            _ms(max(entry.took_ns)) if entry.took_ns else "",
            "; ".join(f"{fault.value} {count}" for fault, count in entry.faults.items()),
            result.digest,
        )


def _place(game: StoredGame | GameResult) -> Row:
    place = game.id if isinstance(game, StoredGame) else game.game
    return (str(place), place.round, place.table, place.deal_set, place.game)


def _ms(nanoseconds: int) -> str:
    return f"{nanoseconds / NS_PER_MS:.3f}"


def _line(**values: object) -> bytes:
    return json.dumps(values, sort_keys=True, separators=(",", ":")).encode() + b"\n"
