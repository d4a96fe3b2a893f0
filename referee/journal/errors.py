"""What can go wrong with a journal, each with one sentence for the user.

JournalError
+-- JournalUnusable     it cannot be opened as asked; nothing has happened yet
|   +-- JournalTaken    there is one of that name already
+-- JournalFailed       writing failed in mid-run (disk full, I/O error); the run must stop
"""


class JournalError(Exception):
    """The root of the errors of this package; the text is one sentence that says what to do."""


class JournalUnusable(JournalError):
    """The file cannot be made, opened or believed."""


class JournalTaken(JournalUnusable):
    """The name of a new journal is that of another one."""


class JournalFailed(JournalError):
    """What was decided could not be made durable, so it must not be revealed."""
