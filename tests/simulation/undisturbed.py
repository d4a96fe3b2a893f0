"""What a tournament comes to when nothing happens to it, worked out without bytes, bots or a clock."""

import itertools

from referee.director import Director
from referee.play.clock import Arrival
from referee.play.table import Table
from tests.notes import begun
from tests.server.network import REQUESTS, START, answer_to
from tests.simulation.plan import Plan


def undisturbed_digest(plan: Plan) -> str:
    """Return the digest of the tournament in which every bot answers every request at once."""
    director = begun(plan.setup, plan.names)
    numbers = itertools.count(1)
    while (game := director.next_game(lambda names: True)) is not None:
        table = Table(director.table_setup(game), lambda: next(numbers))
        _play(table, director)
    assert director.complete, "the games that can be started are all there are"
    return director.digest


def _play(table: Table, director: Director) -> None:
    table.begin(dict.fromkeys(range(len(table.seats)), False))
    while table.result is None:
        output = table.take_output()
        table.sent(START)
        for seat, message in output.messages:
            if isinstance(message, REQUESTS):
                table.answered(seat, answer_to(message), Arrival.at(START), START)
    director.game_ended(table.result)
