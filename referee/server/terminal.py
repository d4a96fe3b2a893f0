"""What becomes of the terminal when it goes away: nothing is written to it, or read from it, any more."""

import contextlib
import os
import stat


def abandon() -> None:
    """Let what is written to a terminal that is gone go nowhere, and read nothing more from it.

    Otherwise each line would be an error. Standard streams that are files or pipes stay as they are.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        # No isatty: a terminal that has hung up no longer says that it is one.
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)
