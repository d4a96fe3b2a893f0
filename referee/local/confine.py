"""The launcher: a program that puts limits upon itself and then becomes the bot.

Run by `spawn` as `python -I -S confine.py KEY=NUMBER... -- COMMAND...`, as a file of its own that imports
nothing of ours: under bwrap nothing else of the referee can be seen. Since it is the bot's process and not
the referee's that is changed, the referee need not run Python between fork and exec.

It tells the referee over the socket `control` how far it got: one packet `ready`, with the listening socket
if one was to be opened, and then either the end of the stream, since the bot runs, or the number of the
error with which it could not be run.
"""

import ctypes
import os
import resource
import signal
import sys

READY = b"ready"
HOST = "127.0.0.1"
PORT = 5104
"""Where the referee is found inside a network of the bot's own, in which every port is free."""

BACKLOG = 64
CANNOT_BE_RUN = 127

_SIGKILL = 9
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_SET_NO_NEW_PRIVS = 38  # PR_SET_NO_NEW_PRIVS


def main(words: list[str]) -> int:
    """Do what the settings say, in an order in which none hinders the next, and become the command."""
    split = words.index("--")
    settings = {key: int(value) for key, _, value in (word.partition("=") for word in words[:split])}
    command = words[split + 1 :]
    control = settings["control"]
    os.set_inheritable(control, False)
    if "parent" in settings:
        belong_to(settings["parent"])
    if "group" in settings:
        join_group(settings["group"])
    if "listen" in settings:
        offer(control)
    else:
        os.write(control, READY)
    if "no_new_privs" in settings:
        prctl(_SET_NO_NEW_PRIVS, 1)
    limit(settings)
    restore_signals()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(control, str(error.errno).encode())
    return CANNOT_BE_RUN


def belong_to(parent: int) -> None:
    """Be killed when the referee dies, and keep our own orphans, so that they are known as ours.

    A process that forks twice and leaves is thus still below us, and is the referee's only once we are
    dead: so the referee may end whatever it inherits, without harming a bot that lives.

    Args:
        parent: The pid of the referee.
    """
    prctl(_SET_DEATH_SIGNAL, _SIGKILL)
    if os.getppid() != parent:  # it died before the kernel knew of our wish
        sys.exit(CANNOT_BE_RUN)
    prctl(_SET_CHILD_SUBREAPER, 1)


def join_group(procs: int) -> None:
    """Enter a control group, by its open file `cgroup.procs`; 0 means whoever writes it."""
    os.write(procs, b"0")
    os.close(procs)


def offer(control: int) -> None:
    """Open the listener in this network and hand it to the referee."""
    import socket  # slow, and seldom needed

    channel = socket.socket(fileno=control)
    with socket.create_server((HOST, PORT), backlog=BACKLOG) as listener:
        socket.send_fds(channel, [READY], [listener.fileno()])
    channel.detach()


def restore_signals() -> None:
    """Take signals as any program does: Python ignores two, and `spawn` blocks one for the sake of bwrap."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def limit(settings: dict[str, int]) -> None:
    """Set the limits that are named; none is raised above what we were allowed before."""
    for key, kind in (
        ("data", resource.RLIMIT_DATA),
        ("files", resource.RLIMIT_NOFILE),
        ("file_size", resource.RLIMIT_FSIZE),
        ("core", resource.RLIMIT_CORE),
        ("cpu", resource.RLIMIT_CPU),
    ):
        if key in settings:
            _, hard = resource.getrlimit(kind)
            most = settings[key] if hard == resource.RLIM_INFINITY else min(settings[key], hard)
            resource.setrlimit(kind, (most, most))


def prctl(option: int, value: int) -> None:
    """Ask the kernel for a control of this process (`man 2 prctl`), which Python does not offer.

    Raises:
        OSError: The kernel refused.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)):
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
