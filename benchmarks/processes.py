"""What the system tells about processes: processor time and memory, from /proc."""

import os
from collections.abc import Iterator
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def resident_kib(pid: int) -> int:
    """Return the resident memory of a process, in KiB; buffers of the kernel are not in it."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1])


def cpu_of(pid: int) -> float:
    """Return the processor seconds of a process, to a hundredth; 0 once it is gone."""
    fields = _fields(pid)
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND if fields else 0.0


def cpu_of_descendants(pid: int) -> float:
    """Return the processor seconds of all that a process has started, those that are gone included."""
    waited_for = _fields(pid)[13:15]
    return sum(map(int, waited_for)) / _TICKS_A_SECOND + sum(map(_cpu_of_family, _children(pid)))


def _cpu_of_family(pid: int) -> float:
    return cpu_of(pid) + sum(map(_cpu_of_family, _children(pid)))


def _children(pid: int) -> list[int]:
    return [child for child, parent in _parents() if parent == pid]


def _parents() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _fields(int(entry.name))):
            yield int(entry.name), int(fields[1])


def _fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the third on, `state`; none if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
