"""The messages at both ends of a tournament: `welcome` and `tournament_end`."""

import functools
import importlib.metadata

from protocol.framing import LIMIT
from protocol.messages import VERSION, TournamentEnd, Welcome
from protocol.parts import Format, Limits, StandingsLine, TournamentInfo
from referee.director import Director
from referee.play.briefing import rules_info
from referee.play.clock import whole_ms
from referee.server.lobby import Instance
from referee.setup import TournamentSetup
from referee.tournament.standings import StandingsRow

STANDINGS_LINES = 100
"""So many lines of the standings fit into `tournament_end`; each bot gets its own line besides."""


def welcome(setup: TournamentSetup, instance: Instance, rounds: int | None) -> Welcome:
    """Return the answer to the hello of a bot; `rounds` is None until the tournament has begun."""
    return Welcome(
        version=VERSION,
        referee=_referee(),
        name=instance.entrant,
        tournament=TournamentInfo(
            format=Format(setup.kind.value),
            table_size=setup.table_size,
            games=setup.games,
            rounds=setup.rounds if rounds is None else rounds,
            rules=rules_info(setup.rules),
        ),
        limits=Limits(
            move_ms=whole_ms(setup.clock.move_ns),
            grace_ms=whole_ms(setup.clock.grace_ns),
            bank_ms=whole_ms(setup.clock.bank_ns),
            strikes=setup.clock.strikes,
            frame_bytes=LIMIT,
            games=instance.capacity,
        ),
        commitment=setup.commitment,
        open_games=tuple(str(game) for game in instance.games),
    )


@functools.cache
def _referee() -> str:
    """Name this program and its version, which is read from a file, and so only once."""
    return f"take5-referee {importlib.metadata.version('take5-referee')}"


def tournament_ends(director: Director) -> dict[str, TournamentEnd]:
    """Return the last word of the tournament for each entrant."""
    lines = {row.name: _line(row) for row in director.rows()}
    top = tuple(lines.values())[:STANDINGS_LINES]
    digest = director.digest
    return {
        name: TournamentEnd(
            complete=director.complete,
            standings=top,
            you=line,
            nonce=director.setup.nonce.hex(),
            seed=director.setup.seed,
            digest=digest,
        )
        for name, line in lines.items()
    }


def _line(row: StandingsRow) -> StandingsLine:
    return StandingsLine(rank=row.rank, name=row.name, points=str(row.points), games=row.games)
