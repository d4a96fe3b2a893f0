"""How many copies of a bot run side by side."""


def instances_needed(*, concurrency: int, tables_per_round: int, games_at_once: int) -> int:
    """Count the processes that each entrant needs, so that no table waits for a free bot.

    An entrant sits at one table a round, so it plays several games at once only when more tables run
    at once than a round has.

    Args:
        concurrency: Tables that run at once.
        tables_per_round: Tables of one round; each has its own entrants.
        games_at_once: Games that one process of the bot plays side by side.

    Returns:
        At least 1.

    Raises:
        ValueError: If one of the three is below 1.
    """
    if min(concurrency, tables_per_round, games_at_once) < 1:
        raise ValueError("concurrency, tables_per_round and games_at_once are at least 1")
    rounds_at_once = _ceil_divide(concurrency, tables_per_round)
    return _ceil_divide(rounds_at_once, games_at_once)


def _ceil_divide(amount: int, share: int) -> int:
    return -(-amount // share)
