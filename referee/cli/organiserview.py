"""What an organiser sees of a served tournament, whether in words or as objects."""

import abc
from collections.abc import Sequence

from referee.cli.log import Fact
from referee.director import Director
from referee.server.news import News


class OrganiserView(abc.ABC):
    """Shows a served tournament."""

    @abc.abstractmethod
    def say(self, text: str) -> None:
        """Show a line, or several."""

    @abc.abstractmethod
    def answer(self, text: str) -> None:
        """Show what was asked for, also where nothing else is wanted."""

    @abc.abstractmethod
    def tell(self, fact: Fact) -> None:
        """Show a fact."""

    @abc.abstractmethod
    def news(self, items: Sequence[News], director: Director | None, here: Sequence[str]) -> None:
        """Take in what has happened; `here` are the entrants that are connected."""

    @abc.abstractmethod
    def tick(self, director: Director | None, here: Sequence[str], running: int) -> None:
        """Show, after a long silence, how far things are; called about once a second."""
