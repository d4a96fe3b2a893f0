"""Requests: all that a seat may know to decide, taken from the game at the moment of asking."""

from collections.abc import Callable

import attrs

from protocol.parts import Rules as RulesInfo
from protocol.parts import Variant as VariantInfo
from protocol.requests import ChooseCard, ChooseDraft, ChooseRow
from protocol.shared import SharedFields
from referee.play.asking import RequestMessage
from referee.play.clock import ClockRules, whole_ms
from referee.play.names import GameId
from referee.play.seats import Seat
from referee.rules.data import frozen
from referee.rules.decisions import DecisionKind, Pending
from referee.rules.events import Cards
from referee.rules.game import Game
from referee.rules.variants import Rules

_A_ROW, _A_DRAFT = DecisionKind.ROW, DecisionKind.DRAFT

BotSeed = Callable[[str, str], int]
"""From (entrant, decision) to the number that a request carries."""


def rules_info(rules: Rules, players: int | None = None) -> RulesInfo:
    """Return the rules as messages carry them; with the highest card if the number of players is known."""
    return RulesInfo(
        variant=VariantInfo(rules.variant.value),
        jumping_cow=rules.jumping_cow,
        target=rules.target,
        deals=rules.deals,
        highest_card=None if players is None else rules.highest_card(players),
    )


@frozen
class Occasion:
    """What is the same for every seat that is asked at the same time.

    Attributes:
        shared: The fields.
        decision: The name of the decision within the game, for `bot_seed`.
        hands: By seat.
    """

    shared: SharedFields
    decision: str
    hands: tuple[Cards, ...]


@attrs.frozen(kw_only=True)
class Briefing:
    """Makes the requests of one game.

    Attributes:
        game_id: What the game is called.
        game: The game, at the moment of asking.
        clock: The limits.
        bot_seed: Gives the number for bots that want chance.
        info: The rules as messages carry them.
    """

    game_id: GameId
    game: Game
    clock: ClockRules
    bot_seed: BotSeed
    info: RulesInfo
    _name: str = attrs.field(
        init=False, default=attrs.Factory(lambda self: str(self.game_id), takes_self=True)
    )
    _time_ms: int = attrs.field(
        init=False, default=attrs.Factory(lambda self: whole_ms(self.clock.move_ns), takes_self=True)
    )

    def occasion(self, kind: DecisionKind) -> Occasion:
        """Return what is the same for every seat that is asked now."""
        if kind is _A_DRAFT:
            return self._pick()
        game, word = self.game, _WORDS[kind]
        deal, trick, hands = game.deal, game.trick, game.hands
        fields = {
            "game": self._name,
            "rules": self.info,
            "deal": deal,
            "totals": game.totals,
            "trick": trick,
            "rows": game.rows,
            "row_bullheads": game.row_bullheads,
            "cow": game.cow,
            "taken": game.taken,
            "seen": game.seen,
            "hands": None if game.opener is None else hands,
        }
        if kind is _A_ROW:
            cards = game.trick_cards or ()
            costs = tuple([cost.bullheads for cost in game.row_costs()])
            fields |= {"cards": cards, "card": min(cards), "costs": costs}
        return Occasion(SharedFields(_REQUESTS[kind].TYPE, fields), f"d{deal}t{trick}{word}", hands)

    def _pick(self) -> Occasion:
        game = self.game
        hands = game.hands
        pick = sum(map(len, hands)) + 1
        fields = {
            "game": self._name,
            "rules": self.info,
            "deal": game.deal,
            "totals": game.totals,
            "pick": pick,
            "opener": game.opener,
            "pool": game.pool,
            "hands": hands,
        }
        return Occasion(SharedFields(ChooseDraft.TYPE, fields), f"d{game.deal}p{pick}draft", hands)

    def request(self, occasion: Occasion, seat: Seat, pending: Pending, request_id: int) -> RequestMessage:
        """Return the request to one seat on an occasion, with the full time."""
        return _REQUESTS[pending.kind](
            **occasion.shared.values,
            request=request_id,
            seat=seat.index,
            hand=occasion.hands[seat.index],
            choices=pending.choices,
            time_ms=self._time_ms,
            bank_ms=whole_ms(seat.bank_ns),
            bot_seed=self.bot_seed(seat.name, occasion.decision),
            shared=occasion.shared,
        )


_WORDS = {kind: kind.value for kind in DecisionKind}  # to ask the enum takes 0.1 us
_REQUESTS: dict[DecisionKind, type[RequestMessage]] = {
    DecisionKind.CARD: ChooseCard,
    DecisionKind.ROW: ChooseRow,
    DecisionKind.DRAFT: ChooseDraft,
}
