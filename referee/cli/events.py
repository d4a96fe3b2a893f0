"""News as facts with names and fields, for `--log-format json`; the narrator has the words for people."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import attrs

from referee.cli.cells import plain
from referee.cli.log import Event, Fact
from referee.director import Director
from referee.local.news import BotEnded, BotNotStarted, LocalNews
from referee.play.names import GameId
from referee.play.results import GameResult, SeatResult
from referee.server.news import (
    Draining,
    GameOver,
    Joined,
    Lost,
    Refused,
    RoundOver,
    RoundPlanned,
    Stopping,
    TournamentOver,
    Withdrawn,
)
from referee.setup import TournamentSetup
from referee.tournament.standings import StandingsRow

Fields: TypeAlias = Mapping[str, Any]

NAMES: Mapping[type, Event] = {
    BotEnded: Event.BOT_ENDED,
    BotNotStarted: Event.BOT_NOT_STARTED,
    Draining: Event.DRAINING,
    GameOver: Event.GAME_OVER,
    Joined: Event.BOT_JOINED,
    Lost: Event.BOT_LOST,
    Refused: Event.CONNECTION_REFUSED,
    RoundOver: Event.ROUND_OVER,
    RoundPlanned: Event.ROUND_PLANNED,
    Stopping: Event.STOPPING,
    TournamentOver: Event.TOURNAMENT_OVER,
    Withdrawn: Event.ENTRANT_WITHDRAWN,
}


def fact_of(item: LocalNews) -> Fact:
    """Return news as a fact without words."""
    return Fact(event=NAMES[type(item)], fields=_fields(item))


def _fields(item: LocalNews) -> Fields:
    match item:
        case BotEnded():
            return _ended(item)
        case BotNotStarted():
            return {
                "entrant": item.name,
                "reason": item.reason,
                "output": item.output,
                "then": item.then.value,
            }
        case GameOver(result=result):
            return _game(result)
        case RoundOver(number=number):
            return {"round": number}
        case RoundPlanned(plan=plan):
            tables = [{"table": table.table, "entrants": table.entrants} for table in plan.tables]
            return {"round": plan.number, "tables": tables, "byes": plan.byes, "notes": plan.notes}
        case Stopping(cause=cause):
            return {"cause": cause.value}
        case Draining() | Joined() | Lost() | Refused() | TournamentOver() | Withdrawn():
            return attrs.asdict(item)


def _ended(item: BotEnded) -> Fields:
    ending = item.exit
    return {
        "entrant": item.name,
        "ending": ending.kind.value,
        "code": ending.code,
        "signal": ending.signal,
        "in_game": item.in_game,
        "output": ending.output,
        "then": item.then.value,
    }


def _game(result: GameResult) -> Fields:
    return {
        **game_fields(result.game),
        "seats": [_seat(seat) for seat in result.seats],
        "digest": result.digest,
        "referee_delay_ms": round(result.referee_delay_ns / 1e6, 3),
    }


def game_fields(game: GameId) -> Fields:
    """Return the place of a game in the schedule."""
    return {"round": game.round, "table": game.table, "deal_set": game.deal_set, "game": game.game}


def _seat(seat: SeatResult) -> Fields:
    return {
        "entrant": seat.name,
        "bullheads": sum(seat.bullheads),
        "forfeited": seat.forfeited,
        "no_show": seat.no_show,
        "faults": {fault.value: count for fault, count in seat.faults.items() if count},
    }


# --- the tournament as a whole -----------------------------------------------------------------------------


def begun(event: Event, setup: TournamentSetup, lines: tuple[str, ...] = ()) -> Fact:
    """Return that something begins: what is played. The seed stays unsaid, as it gives the deals away."""
    fields = {
        "kind": setup.kind.value,
        "variant": setup.rules.variant.value,
        "jumping_cow": setup.rules.jumping_cow,
        "table_size": setup.table_size,
        "move_timeout_ms": setup.clock.move_ns // 1_000_000,
        "commitment": setup.commitment,
    }
    return Fact(event=event, lines=lines, fields=fields)


def progress(*, number: int, rounds: int, done: int, planned: int, running: int) -> Fact:
    """Return how far a tournament is: the oldest unfinished round, and games."""
    fields = {
        "round": number,
        "rounds": rounds,
        "games_done": done,
        "games_planned": planned,
        "games_running": running,
    }
    return Fact(event=Event.PROGRESS, fields=fields)


def standings(director: Director, lines: tuple[str, ...]) -> Fact:
    """Return the standings so far."""
    rows = [_row(row) for row in director.rows()]
    return Fact(
        event=Event.STANDINGS, lines=lines, fields={"games_done": director.games_done, "standings": rows}
    )


def evidence(director: Director) -> Fact:
    """Return what the deals can be played again from, and proven with."""
    setup = director.setup
    games = "" if director.complete else f" of the {director.games_done} games that were finished"
    return Fact(
        event=Event.EVIDENCE,
        lines=(
            f"seed {plain(setup.seed)} (--seed deals the same cards again)",
            f"nonce {setup.nonce.hex()} (the commitment is the SHA-256 of its 32 bytes and the seed)",
            f"record digest{games} {director.digest}",
        ),
        fields={
            "seed": setup.seed,
            "nonce": setup.nonce.hex(),
            "digest": director.digest,
            "games_done": director.games_done,
            "complete": director.complete,
        },
    )


def _row(row: StandingsRow) -> Fields:
    return {"rank": row.rank, "entrant": row.name, "points": str(row.points), "games": row.games}
