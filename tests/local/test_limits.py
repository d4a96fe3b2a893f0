"""What the kernel lets a bot use up, under `limits` and `bwrap`: real programs that try to have more."""

import resource
import signal
import sys

import attrs
import pytest
import trio

from referee.local.processes import ExitKind
from referee.local.sandbox import UNCONFINED, Sandbox, SandboxKind
from tests.local.conftest import BWRAP, PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these limits are for Linux")


@pytest.fixture(autouse=True)
async def patience():
    """No test waits longer than this, and none comes near to it."""
    with trio.fail_after(PATIENCE_S):
        yield


@pytest.fixture(params=[SandboxKind.LIMITS, BWRAP])
def sandbox(request):
    """Both kinds that limit; one has namespaces besides."""
    return Sandbox(kind=request.param)


@pytest.fixture
def end_of(start_bot):
    """Run a program in Python to its end."""

    async def run(script, sandbox):
        process = await start_bot(sys.executable, "-c", script, sandbox=sandbox)
        ended = await process.watch()
        if process.listener is not None:
            process.listener.close()
        return ended

    return run


async def test_memory(end_of, sandbox):
    """2 GiB are more than the 1 GiB that a bot may have: an error in the bot, which can still say so."""
    script = """
try:
    bytearray(2 << 30)
except MemoryError:
    print("refused")
print(len(bytearray(1 << 26)))
"""

    assert (await end_of(script, sandbox)).output == "refused\n67108864\n"


async def test_more_memory_on_request(end_of, sandbox):
    """`--bot-memory` moves the limit."""
    small = attrs.evolve(sandbox, memory_bytes=64 << 20)
    script = "bytearray(1 << 27)"

    assert (await end_of(script, small)).kind is ExitKind.CRASHED
    assert (await end_of(script, sandbox)).kind is ExitKind.ENDED


async def test_address_space_is_not_limited(end_of, sandbox):
    """Node and Java reserve many gigabytes that they never use; that costs nothing and is allowed."""
    script = """
import mmap
mmap.mmap(-1, 16 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0)
print("reserved")
"""

    assert (await end_of(script, sandbox)).output == "reserved\n"


async def test_size_of_files(end_of, sandbox):
    """A file that is to have 100 MiB ends at 64 MiB, with an error for a program that ignores the signal."""
    script = """
import signal, tempfile
file = tempfile.TemporaryFile()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    for _ in range(100):
        file.write(bytes(1 << 20))
        file.flush()
except OSError as error:
    print(error.strerror, file.tell() >> 20)
"""

    assert (await end_of(script, sandbox)).output == "File too large 64\n"


async def test_a_bot_that_writes_too_much_has_crashed(end_of, sandbox):
    """The signal is of its own making, and so is no kill from outside; it is that of any other program."""
    script = """
import signal, tempfile
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
tempfile.TemporaryFile().truncate(65 << 20)
"""
    ended = await end_of(script, sandbox)

    assert (ended.signal, ended.kind) == (signal.SIGXFSZ, ExitKind.CRASHED)


async def test_open_files(end_of, sandbox):
    """Of 5000 files 1024 can be open, the standard ones included; the limit cannot be raised again."""
    script = """
import os, resource
opened = []
try:
    for _ in range(5000):
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(error.strerror, max(opened) + 1)
print(resource.getrlimit(resource.RLIMIT_NOFILE))
"""

    assert (await end_of(script, sandbox)).output == "Too many open files 1024\n(1024, 1024)\n"


async def test_no_core_file(end_of, sandbox):
    """A crash leaves no file behind, wherever the system would put it."""
    script = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"

    assert (await end_of(script, sandbox)).output == "(0, 0)\n"


async def test_processor_time_only_on_request(end_of, sandbox):
    """There is no limit as a rule, since it would end long tournaments; with one a busy bot is killed."""
    asking = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"
    spinning = "while True: pass"

    free = await end_of(asking, sandbox)
    busy = await end_of(spinning, attrs.evolve(sandbox, cpu_s=1))

    assert free.output == f"({resource.RLIM_INFINITY}, {resource.RLIM_INFINITY})\n"
    assert busy.signal == signal.SIGKILL


async def test_no_new_privileges(end_of, sandbox):
    """Neither sudo nor any other program that belongs to root makes a bot more than it is."""
    script = """
print(*(line for line in open("/proc/self/status") if line.startswith("NoNewPrivs")), end="")
"""

    assert (await end_of(script, sandbox)).output == "NoNewPrivs:\\t1\n"


async def test_number_of_processes_is_not_limited(end_of, sandbox):
    """RLIMIT_NPROC counts all processes of the user, those of the other bots and of the desktop included."""
    ours = resource.getrlimit(resource.RLIMIT_NPROC)
    script = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC))"

    assert (await end_of(script, sandbox)).output == f"{ours}\n"


async def test_without_a_sandbox_nothing_is_limited(end_of):
    """`none` leaves all limits as they are for the referee."""
    kinds = ("DATA", "NOFILE", "FSIZE", "CORE", "CPU")
    ours = [resource.getrlimit(getattr(resource, f"RLIMIT_{kind}")) for kind in kinds]
    script = (
        f"import resource; print([resource.getrlimit(getattr(resource, f'RLIMIT_{{k}}')) for k in {kinds}])"
    )

    assert (await end_of(script, UNCONFINED)).output == f"{ours}\n"


async def test_signals_are_as_for_any_program(start_bot, sandbox):
    """The launcher is in Python, which ignores two, and bwrap is started with one blocked: no bot is.

    Signals 32 and 33 are the C library's own: what they are when the tests begin no program can change.
    """
    process = await start_bot("grep -E '^Sig(Blk|Ign)' /proc/self/status", sandbox=sandbox)
    ended = await process.watch()
    if process.listener is not None:
        process.listener.close()

    masks = dict(line.split(":\\t") for line in ended.output.splitlines())
    changeable = ~(1 << 31 | 1 << 32)
    assert {"SigBlk": 0, "SigIgn": 0} == {name: int(mask, 16) & changeable for name, mask in masks.items()}
