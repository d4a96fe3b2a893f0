"""What stands at the head of a journal: the tournament's setup, as JSON and back."""

import json
from typing import Any

import attrs

from referee.play.clock import ClockRules
from referee.rules.variants import Rules, Variant
from referee.tournament.dealsets import Series, Sets, Turning
from referee.tournament.model import Kind


@attrs.frozen(kw_only=True)
class Head:
    """What a tournament is made from, as far as it is journaled.

    Attributes:
        command: Which command plays it: run-local, serve, compare.
        kind: The format.
        table_size: The most that may sit at one table.
        rounds: How many rounds; None for the default of the format.
        games: The most games that a table plays in a round; smaller tables need fewer for a deal set.
        deal_sets: Deal sets that each table plays in a round; None if each game is a set of its own.
        rivals: In a comparison the two who are compared; else None.
        rules: What is played.
        clock: The limits.
        seed: Decides the deals.
        nonce: Hides the seed in the commitment.
        commitment: SHA-256 of nonce and seed.
        repeat_weight: In a Swiss, how many squared points a first repeat costs; None for the strict order.
        concurrency: Tables at once.
        extras: Whatever the command needs to go on, as JSON values.
    """

    command: str
    kind: Kind
    table_size: int
    rounds: int | None
    games: int
    rules: Rules
    clock: ClockRules
    seed: str
    nonce: bytes
    commitment: str
    repeat_weight: int | None
    concurrency: int
    extras: dict[str, Any]
    deal_sets: int | None = None
    rivals: tuple[str, str] | None = None

    @property
    def series(self) -> Series:
        """What each table plays in a round."""
        return series(self.rules, self.games, self.deal_sets, self.rivals)


def series(rules: Rules, games: int, deal_sets: int | None, rivals: tuple[str, str] | None = None) -> Series:
    """Return what each table plays in a round.

    Args:
        rules: What is played.
        games: How many games, if each is a set of its own.
        deal_sets: How many deal sets, if they are rotated; else None.
        rivals: Who is compared, in pairs of games unless these are rotated.
    """
    turning = Turning.OPENER if rules.variant is Variant.ADVANCED else Turning.SEATS
    if deal_sets is not None:
        return Series(sets=Sets.ROTATED, count=deal_sets, turning=turning, rivals=rivals)
    if rivals is not None:
        return Series(sets=Sets.PAIRED, count=1, turning=turning, rivals=rivals)
    return Series(sets=Sets.SINGLE, count=games, turning=turning)


def to_text(head: Head) -> str:
    """Return what is kept in the column `setup`."""
    return json.dumps(
        {
            "kind": head.kind.value,
            "table_size": head.table_size,
            "rounds": head.rounds,
            "games": head.games,
            "deal_sets": head.deal_sets,
            "rivals": head.rivals,
            "rules": {
                "variant": head.rules.variant.value,
                "jumping_cow": head.rules.jumping_cow,
                "target": head.rules.target,
                "deals": head.rules.deals,
            },
            "clock": attrs.asdict(head.clock),
            "repeat_weight": head.repeat_weight,
            "concurrency": head.concurrency,
            "extras": head.extras,
        },
        sort_keys=True,
    )


def from_text(command: str, setup: str, seed: str, nonce: bytes, commitment: str) -> Head:
    """Return the head that a journal holds.

    Raises:
        ValueError, KeyError, TypeError: it is not as `to_text` wrote it.
    """
    values = json.loads(setup)
    rules = values["rules"]
    return Head(
        command=command,
        kind=Kind(values["kind"]),
        table_size=values["table_size"],
        rounds=values["rounds"],
        games=values["games"],
        deal_sets=values["deal_sets"],
        rivals=None if values["rivals"] is None else _pair(*values["rivals"]),
        rules=Rules(
            variant=Variant(rules["variant"]),
            jumping_cow=rules["jumping_cow"],
            target=rules["target"],
            deals=rules["deals"],
        ),
        clock=ClockRules(**values["clock"]),
        seed=seed,
        nonce=nonce,
        commitment=commitment,
        repeat_weight=values["repeat_weight"],
        concurrency=values["concurrency"],
        extras=values["extras"],
    )


def _pair(one: str, other: str) -> tuple[str, str]:
    return one, other
