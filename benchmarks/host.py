"""The referee of `take5-referee serve` in a process of its own, as the benchmarks need it.

It is a served tournament with a journal and the listed secrets of as many bots as are expected: bot-1 has the
secret bot-1, and so on. It begins once all of them are there. Prints its port; ends by SIGTERM, or when all
is played.
"""

import argparse
import signal
import sys
from pathlib import Path

import trio

from benchmarks.profiling import Profile
from referee.director import Director
from referee.journal.journal import Journal
from referee.play.clock import NS_PER_MS, ClockRules
from referee.rules.variants import Rules, Variant
from referee.server.limits import CONNECTIONS, ServerLimits
from referee.server.lobby import hashed
from referee.server.readers import Io
from referee.server.serving import ServedTournament, StartRule
from referee.server.sockets import listen
from referee.setup import TournamentSetup
from referee.tournament.model import Kind

PREFIX = "bot-"


def read_options() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, required=True, help="listed; all of them are awaited")
    parser.add_argument("--journal", type=Path, required=True, help="a file that is not there yet")
    parser.add_argument("--seats", type=int, default=4, help="at each table")
    parser.add_argument("--deals", type=int, default=100_000, help="of the one game that each table plays")
    parser.add_argument("--variant", type=Variant, default=Variant.CLASSIC)
    parser.add_argument("--move-ms", type=int, default=60_000, help="for a decision")
    parser.add_argument("--io", type=Io, required=True, help="how to read connections")
    parser.add_argument("--never-begin", action="store_true", help="keep everybody waiting")
    parser.add_argument(
        "--profile",
        type=Path,
        help="where to write, at SIGUSR2, how the processor time was spent since SIGUSR1",
    )
    return parser.parse_args()


def setup(*, seats: int, rules: Rules, move_ms: int) -> TournamentSetup:
    """Return a single round in which all play at the same time."""
    return TournamentSetup(
        kind=Kind.SWISS,
        table_size=seats,
        rounds=1,
        games=1,
        rules=rules,
        clock=ClockRules(move_ns=move_ms * NS_PER_MS, strikes=0),
        seed="benchmark",
        nonce=bytes(32),
    )


def served(options: argparse.Namespace) -> ServedTournament:
    """Return the tournament on a listener of its own."""
    connections = max(CONNECTIONS, options.bots)
    listener = listen("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    names = [f"{PREFIX}{number + 1}" for number in range(options.bots)]
    return ServedTournament(
        listener,
        setup(
            seats=options.seats,
            rules=Rules(variant=options.variant, target=None, deals=options.deals),
            move_ms=options.move_ms,
        ),
        concurrency=None,
        secrets={name: {hashed(name)} for name in names},
        start=StartRule() if options.never_begin else StartRule(entrants=options.bots),
        on_news=lambda news: None,
        say=lambda words: print(words, file=sys.stderr),
        render=_no_standings,
        make_journal=lambda made: Journal.create(options.journal, made.head("benchmark", {})),
        limits=ServerLimits(connections=connections, connections_per_address=connections),
        io=options.io,
    )


def _no_standings(director: Director) -> str:
    raise AssertionError(f"nobody asks for the standings of {director.setup}")


async def serve(tournament: ServedTournament) -> None:
    """Serve until all is played or SIGTERM comes."""

    async def stop_on_signal() -> None:
        with trio.open_signal_receiver(signal.SIGTERM) as signals:
            async for _ in signals:
                tournament.interrupt()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stop_on_signal)
        await tournament.run()
        nursery.cancel_scope.cancel()


def main() -> None:
    """Serve one tournament."""
    options = read_options()
    if options.profile is not None:
        Profile(options.profile).await_signals()
    tournament = served(options)
    trio.run(serve, tournament)
    if tournament.director is not None:
        tournament.director.journal.close()


if __name__ == "__main__":
    main()
