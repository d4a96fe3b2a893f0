"""What the system allows: open files, kernel time stamps, a place for the journal, idle processors."""

import os
import select
import socket
import time
from pathlib import Path

from referee.doctor.findings import Finding, Verdict
from referee.journal.errors import JournalUnusable
from referee.journal.place import check_file_system
from referee.local.descriptors import PER_BOT, RESERVE, allowed_descriptors
from referee.server.stamps import Moments, ask_for_stamps, receive

MOST_SERVED = 1000
"""As many entrants as `serve` takes; a connection of each is an open file."""

FEWEST_SERVED = 64
_PATIENCE_S = 5.0
_PLAUSIBLE_NS = 5_000_000_000
_UNKNOWN = -1
_MANY_PER_CORE = 0.7
"""With a load above this on each processor, bots and referee often wait for one."""


def open_files(allowed: int | None = None) -> Finding:
    """Look how many files may be open.

    Args:
        allowed: How many; what the system allows if None.
    """
    limit = allowed_descriptors() if allowed is None else allowed
    free = max(0, limit - RESERVE)
    text = f"{limit}: enough for {free} bots that are served, or {free // PER_BOT} on this machine"
    if free >= MOST_SERVED:
        return Finding(check="open files", verdict=Verdict.OK, text=text)
    verdict = Verdict.NOTE if free >= FEWEST_SERVED else Verdict.PROBLEM
    wanted = RESERVE + MOST_SERVED * PER_BOT
    advice = f"for more raise the limit: ulimit -n {wanted}, or LimitNOFILE={wanted} in a unit"
    return Finding(check="open files", verdict=verdict, text=text, advice=advice)


def time_stamps() -> Finding:
    """Try whether the kernel says when bytes arrived, on a real connection within this machine."""
    try:
        age = _age_of_a_byte()
    except OSError as error:
        return Finding(
            check="time stamps",
            verdict=Verdict.PROBLEM,
            text=f"no connection within this machine: {error.strerror or error}",
            advice="see that the loopback interface is up",
        )
    if age is None:
        return Finding(
            check="time stamps",
            verdict=Verdict.NOTE,
            text="the kernel gives none; arrivals are known as exactly as the referee polls",
            advice="for rated play use Linux, outside of sandboxes that leave socket options out",
        )
    if age > _PLAUSIBLE_NS:
        return Finding(
            check="time stamps",
            verdict=Verdict.NOTE,
            text="a byte that has just come is said to be more than 5 s old",
            advice="see whether the clock of this machine jumps",
        )
    return Finding(
        check="time stamps", verdict=Verdict.OK, text=f"from the kernel, read {age / 1e3:.0f} µs later"
    )


def _age_of_a_byte() -> int | None:
    """Send ourselves a byte; return how old it was by its stamp when it was read, in ns; None without one."""
    moments = Moments()
    moments.known_empty -= _PLAUSIBLE_NS + 1
    moments.arrived = _UNKNOWN
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname(), _PATIENCE_S) as here,
        listener.accept()[0] as there,
    ):
        ask_for_stamps(there)
        here.sendall(b"x")
        select.select([there], [], [], _PATIENCE_S)
        _, arrival = receive(there, 1, moments)
        return None if arrival.latest == _UNKNOWN else time.monotonic_ns() - arrival.latest


def journal(directory: Path) -> Finding:
    """Look whether journals are safe in a directory."""
    try:
        check_file_system(directory / "journal")
    except JournalUnusable as error:
        return Finding(check="journal", verdict=Verdict.PROBLEM, text=str(error))
    if not os.access(directory, os.W_OK | os.X_OK):
        return Finding(
            check="journal",
            verdict=Verdict.NOTE,
            text="this directory may not be written to",
            advice="run the referee elsewhere, or with --journal FILE",
        )
    return Finding(check="journal", verdict=Verdict.OK, text="this directory is on a disk of this machine")


def processors(load: float | None = None, count: int | None = None) -> Finding:
    """Look whether the processors have time.

    Args:
        load: The mean number of running programs in the last minute; what the system says if None.
        count: How many processors this process may use; what the system says if None.
    """
    cores = _cores() if count is None else count
    now = os.getloadavg()[0] if load is None else load
    text = f"{cores}, load {now:.1f}"
    if now > cores * _MANY_PER_CORE:
        return Finding(
            check="processors",
            verdict=Verdict.NOTE,
            text=text,
            advice="something else is busy here: bots on this machine will answer more slowly",
        )
    return Finding(check="processors", verdict=Verdict.OK, text=text)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
