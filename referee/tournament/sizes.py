"""What a tournament can be held with, and how many entrants sit at each table of a round."""

from collections.abc import Sequence

from referee.tournament.model import TournamentError

SMALLEST_TABLE = 2
LARGEST_TABLE = 10


def table_sizes(entrants: int, table_size: int) -> tuple[int, ...]:
    """Split a field into as few tables as possible, as even as possible.

    Args:
        entrants: How many there are to seat.
        table_size: The most that may sit at one table, 2 to 10.

    Returns:
        The sizes, largest first, differing by at most one and never below two. They add up to `entrants`,
        or to one less where somebody has to rest: at tables of two with an odd field, or alone in the field.

    Raises:
        TournamentError: The table size is not on offer.
    """
    check_table_size(table_size)
    if entrants < SMALLEST_TABLE:
        return ()
    seated = entrants - entrants % 2 if table_size == SMALLEST_TABLE else entrants
    tables = -(-seated // table_size)
    small, larger = divmod(seated, tables)
    return (small + 1,) * larger + (small,) * (tables - larger)


def check_table_size(table_size: int) -> None:
    """Refuse a table size outside 2 to 10.

    Raises:
        TournamentError: It is outside.
    """
    if not SMALLEST_TABLE <= table_size <= LARGEST_TABLE:
        raise TournamentError(
            f"a table seats {SMALLEST_TABLE} to {LARGEST_TABLE}, not {table_size}: choose one of these sizes"
        )


def check_tournament(entrants: Sequence[str], table_size: int, rounds: int | None) -> None:
    """Refuse what no format can be held with.

    Raises:
        TournamentError: Fewer than two entrants, a name that comes twice, a table size that is not on
            offer, or less than one round.
    """
    check_table_size(table_size)
    if len(set(entrants)) < len(entrants):
        raise TournamentError("two entrants have the same name: give each a name of its own")
    if len(entrants) < SMALLEST_TABLE:
        raise TournamentError(f"a tournament needs two entrants or more, not {len(entrants)}: enter another")
    if rounds is not None and rounds < 1:
        raise TournamentError(f"a tournament has one round or more, not {rounds}: ask for at least one")
