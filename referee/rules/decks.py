"""Chance that anybody can check: decks, the commitment to the seed, and the numbers given to bots.

A deck depends on the tournament's seed and on the place of the deal in the schedule, and on nothing else.
The stream behind it is made of SHA-256 blocks, numbered i from 0::

    block(i) = SHA256("take5-deal-1" + SHA256(seed) + u32be(round) + u32be(table) + u32be(set) + u32be(deal)
                      + u32be(i))

Each block gives eight big-endian words of 32 bits, in order. A partial Fisher-Yates shuffle draws from them.
"""

import hashlib
import itertools
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import attrs

from referee.rules.cards import HAND_SIZE, ROWS

NONCE_BYTES = 32
_WORD_VALUES = 2**32
_PLACE = struct.Struct(">4I")
_INDEX = struct.Struct(">I")
_WORDS = struct.Struct(">8I")
_FIRST_64_BITS = struct.Struct(">Q").unpack_from


@attrs.frozen(kw_only=True)
class DealId:
    """The place of a deal in the schedule; all four numbers count from 1 and fit in 32 bits.

    Attributes:
        round: Round of the tournament.
        table: Table of the round.
        deal_set: Deal set of the table: the games of one set are played with the same decks.
        deal: Deal of the game.
    """

    round: int
    table: int
    deal_set: int
    deal: int


def deck(seed: str, where: DealId, *, highest: int, count: int) -> tuple[int, ...]:
    """Shuffle the cards 1 to `highest` and give the first `count` of them.

    Args:
        seed: The tournament's seed, any text.
        where: The place of the deal in the schedule.
        highest: Highest card of the deck.
        count: How many cards are wanted.

    Returns:
        `count` different cards in the order in which they are dealt.

    Raises:
        ValueError: If a number of `where` is out of range or more cards are wanted than there are.
    """
    if not 0 <= count <= highest:
        raise ValueError(f"Cannot draw {count} cards from a deck of {highest}.")
    words = _words(_deal_prefix(seed, where))
    cards = list(range(1, highest + 1))
    for top in range(count):
        left = highest - top
        # Words at the ragged end of the range are thrown away, or small answers would come too often.
        bound = _WORD_VALUES - _WORD_VALUES % left
        word = next(words)
        while word >= bound:
            word = next(words)
        other = top + word % left
        cards[top], cards[other] = cards[other], cards[top]
    return tuple(cards[:count])


def dealt_hands(cards: Sequence[int], players: int) -> tuple[tuple[int, ...], ...]:
    """Give each seat its ten cards, ascending: seat s gets the cards from place 10s of the deck."""
    return tuple(tuple(sorted(cards[HAND_SIZE * s : HAND_SIZE * (s + 1)])) for s in range(players))


def dealt_rows(cards: Sequence[int], players: int) -> tuple[tuple[int, ...], ...]:
    """Start rows 0 to 3 with the four cards that follow the hands in the deck, in that order."""
    first = HAND_SIZE * players
    return tuple((card,) for card in cards[first : first + ROWS])


def commitment(nonce: bytes, seed: str) -> str:
    """Commit to a seed without showing it: publish this before the first deal, nonce and seed at the end.

    Args:
        nonce: 32 random bytes, without which a short seed could be guessed from its hash.
        seed: The tournament's seed.

    Returns:
        SHA-256 of the nonce followed by the seed in UTF-8, as 64 lower-case hex digits.

    Raises:
        ValueError: If the nonce is not 32 bytes long.
    """
    if len(nonce) != NONCE_BYTES:
        raise ValueError(f"The nonce must have {NONCE_BYTES} bytes, not {len(nonce)}.")
    return hashlib.sha256(nonce + seed.encode()).hexdigest()


def bot_seed(seed: str, *, game: str, entrant: str, decision: str) -> int:
    """Make the number that a request carries for bots that want chance.

    It depends on the arguments only, so that a bot that uses it alone plays the same game again.

    Args:
        seed: The tournament's seed.
        game: Which game, as the schedule names it.
        entrant: Whose decision.
        decision: Which decision of the game.

    Returns:
        An integer from 0 up to, not including, 2**53: the first 53 bits of SHA-256 over "take5-bot-1",
        SHA256(seed) and the three strings in UTF-8, each followed by a zero byte.

    Raises:
        ValueError: If a string holds a zero character, which would make two decisions look alike.
    """
    return bot_seeds(seed, game=game)(entrant, decision)


def bot_seeds(seed: str, *, game: str) -> Callable[[str, str], int]:
    """Give what makes the numbers of one game, from (entrant, decision): see `bot_seed`.

    All of them begin alike, and that is hashed once.
    """
    begun = hashlib.sha256(b"take5-bot-1" + _seed_digest(seed) + _named(f"{game}\0", 1))

    def number(entrant: str, decision: str) -> int:
        whole = begun.copy()
        whole.update(_named(f"{entrant}\0{decision}\0", 2))
        first: int = _FIRST_64_BITS(whole.digest())[0]
        return first >> 11

    return number


def _named(names: str, count: int) -> bytes:
    """Give so many names, each followed by a zero, as bytes, if there is no other zero in them."""
    named = names.encode()
    if named.count(0) != count:
        raise ValueError("The names of a game, an entrant and a decision must not hold a zero character.")
    return named


@lru_cache(maxsize=64)
def _seed_digest(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()


def _deal_prefix(seed: str, where: DealId) -> bytes:
    place = (where.round, where.table, where.deal_set, where.deal)
    if not all(1 <= number < _WORD_VALUES for number in place):
        raise ValueError(f"The numbers of a deal count from 1 and stay below 2**32: {place}.")
    return b"take5-deal-1" + _seed_digest(seed) + _PLACE.pack(*place)


def _words(prefix: bytes) -> Iterator[int]:
    for index in itertools.count():
        yield from _WORDS.unpack(hashlib.sha256(prefix + _INDEX.pack(index)).digest())
