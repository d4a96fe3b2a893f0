"""The housekeeping of a journal while a tournament runs: a flush each second, small checkpoints."""

import trio

from referee.journal.journal import Journal

LOOK_EVERY_S = 0.1
FLUSH_EVERY_S = 1.0


async def keep(journal: Journal, turn: trio.Lock) -> None:
    """Look after a journal until cancelled.

    Args:
        journal: The journal.
        turn: Held by whoever writes; a checkpoint waits for it, and the writer for the checkpoint.

    Raises:
        JournalFailed: It could not be made durable.
    """
    flushed_at = trio.current_time()
    while True:
        await trio.sleep(LOOK_EVERY_S)
        if journal.wants_checkpoint():
            async with turn:
                await trio.to_thread.run_sync(journal.checkpoint)
        if trio.current_time() - flushed_at >= FLUSH_EVERY_S:
            flushed_at = trio.current_time()
            await trio.to_thread.run_sync(journal.flush)
