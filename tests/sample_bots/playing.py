"""Bots as plain functions, and games between them without processes."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import sample_bots
from protocol.codec import decode_from_referee, encode
from protocol.packing import pack, unpack
from referee.play.briefing import Briefing, rules_info
from referee.play.clock import ClockRules
from referee.play.names import GameId
from referee.rules.decks import DealId, bot_seed, deck
from referee.rules.game import Game

FOLDER = Path(next(iter(sample_bots.__path__)))
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.py")))


def load(name):
    """Import one sample bot from its file, without running it."""
    spec = importlib.util.spec_from_file_location(f"sample_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def decider(name):
    """Return a function from a request, as the map that travels, to the bot's choice."""
    module = load(name)
    if not hasattr(module, "ANSWERS"):
        bot = module.Steady()
        return lambda request: getattr(bot, request["type"])(decode_from_referee(pack(request)))
    return lambda request: module.ANSWERS[request["type"]][0](request)


def game_of(rules, players, seed):
    """Return a game that has begun, with decks from a seed."""
    count, highest = 10 * players + 4, rules.highest_card(players)

    def decks(deal):
        where = DealId(round=1, table=1, deal_set=1, deal=deal)
        return deck(seed, where, highest=highest, count=count)

    game = Game(rules=rules, players=players, decks=decks)
    game.begin()
    return game


def requests_of(game, seed):
    """Return what each pending seat is asked, as maps by seat, exactly as a referee would ask."""
    game_id = GameId(round=1, table=1, deal_set=1, game=1)
    briefing = Briefing(
        game_id=game_id,
        game=game,
        clock=ClockRules(move_ns=1_000_000_000),
        bot_seed=lambda name, decision: bot_seed(seed, game=str(game_id), entrant=name, decision=decision),
        info=rules_info(game.rules, game.players),
    )
    asked = {}
    for pending in game.pending():
        seat = SimpleNamespace(index=pending.seat, name=f"bot{pending.seat}", bank_ns=0)
        message = briefing.request(briefing.occasion(pending.kind), seat, pending, 1)
        asked[pending.seat] = unpack(encode(message))
    return asked


def play_out(deciders, rules, seed):
    """Play a game to its end and return the totals by seat."""
    game = game_of(rules, len(deciders), seed)
    while not game.over:
        asked = requests_of(game, seed)
        game.apply({seat: deciders[seat](request) for seat, request in asked.items()})
    return game.totals
