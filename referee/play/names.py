"""What a game is called: its place in the schedule."""

import attrs


@attrs.frozen(kw_only=True, order=True, cache_hash=True)  # the key of every look-up of a table
class GameId:
    """The place of a game in the schedule. All numbers count from 1; games sort in the order of the record.

    Attributes:
        round: Round of the tournament.
        table: Table of the round.
        deal_set: Deal set of the table: the games of one set are played with the same decks.
        game: Game of the table, counted through all its deal sets.
    """

    round: int
    table: int
    deal_set: int
    game: int

    def __str__(self) -> str:
        return f"r{self.round}t{self.table}g{self.game}"
