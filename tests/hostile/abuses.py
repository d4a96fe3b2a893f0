"""The hostile conversations, each with a name and the ending that it has to have.

Strangers say their piece before hello, impostors in it; guests are let in and wait for a game; players are
in one. What cannot be said in a table of bytes is a function in `schemes`.
"""

from collections.abc import Awaitable, Callable

import attrs
import msgpack

from tests.hostile.visitor import Values, answer, frame, hello, message

A = b"\x81\xa1a"
"""A map whose one key is "a"; its value follows."""


@attrs.frozen(kw_only=True)
class Scene:
    """Where a conversation takes place.

    Attributes:
        port: The referee's.
        source: An address of this machine that nobody else comes from.
        name: A name that is let in; empty for strangers.
        secret: Its secret.
    """

    port: int
    source: str
    name: str = ""
    secret: str = ""

    @property
    def hello(self) -> bytes:
        """What lets one in."""
        return hello(self.name, self.secret, client="abuse")


Conversation = Callable[[Scene], Awaitable[Values]]
"""Says its piece and returns the referee's last word."""


@attrs.frozen(kw_only=True)
class Ending:
    """How a conversation has to end.

    Attributes:
        code: Of the last error, or the reason of the closing; empty if there is no last word.
        words: Something of its sentence.
    """

    code: str
    words: str = ""

    def fits(self, last: Values) -> bool:
        """Say whether a last word is as it has to be."""
        code = last.get("code") or last.get("reason") or ""
        return self.code == code and self.words in last.get("message", "")


Said = tuple[bytes, Ending]


def _bad(words: str = "") -> Ending:
    return Ending(code="bad_frame", words=words)


def _large(words: str) -> Ending:
    return Ending(code="frame_too_large", words=words)


def _field(words: str = "") -> Ending:
    return Ending(code="bad_field", words=words)


NO_MAP = "not one valid msgpack value"

FRAMES: dict[str, Said] = {
    "10,000-deep arrays": (frame(A + b"\x91" * 4000 + b"\xc0"), _bad(NO_MAP)),
    "10,000-deep maps": (frame(A * 1300 + b"\xc0"), _bad(NO_MAP)),
    "arrays of 104 in arrays of 104": (frame(A + b"\xdc\x00\x68" * 1300), _bad(NO_MAP)),
    "an array of 4 Gi items announced": (frame(A + b"\xdd\xff\xff\xff\xff"), _bad(NO_MAP)),
    "a map of 4 Gi keys announced": (frame(b"\xdf\xff\xff\xff\xff"), _bad(NO_MAP)),
    "a string of 4 GiB announced": (frame(A + b"\xdb\xff\xff\xff\xff"), _bad(NO_MAP)),
    "bad UTF-8": (frame(A + b"\xa2\xff\xfe"), _bad(NO_MAP)),
    "an integer key": (frame(b"\x81\x01\x01"), _bad()),
    "a bytes key": (frame(b"\x81\xc4\x01a\x01"), _bad()),
    "the byte that msgpack never uses": (frame(b"\xc1"), _bad(NO_MAP)),
    "bytes behind the map": (frame(A + b"\x01\x00"), _bad(NO_MAP)),
    "an array for a map": (frame(b"\x91\x01"), _bad("one msgpack map")),
    "an ext for a map": (frame(b"\xd4\x05\x01"), _bad("one msgpack map")),
    "a length of 0": (bytes(4), _bad("length 0")),
    "a length of 4 GiB": (b"\xff\xff\xff\xff", _large("4294967295 bytes")),
}
"""Frames that end a connection in every state."""

STRANGERS: dict[str, Said] = {
    **FRAMES,
    "a browser": (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", _large("looks like HTTP")),
    "a browser that goes on and on": (b"POST / HTTP/1.1\r\n\r\n" + b"x" * 300_000, _large("HTTP")),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", _large("looks like HTTP")),
    "a TLS hello": (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x07" * 500,
        _large("looks like TLS"),
    ),
    "JSON text": (b'{"type": "hello"}', _large("looks like JSON")),
    "an SSH client": (b"SSH-2.0-OpenSSH_9.6\r\n", _large("looks like text")),
    "msgpack without a length": (msgpack.packb({"type": "hello", "name": "x"}), _large("without a length")),
    "a little-endian length": (b"\x20\x00\x00\x00" + b"\x00" * 32, _large("little-endian")),
    "a frame of 4 KiB and a byte": ((4097).to_bytes(4, "big"), _large("at most 4096")),
    "an answer before hello": (message(type="card", request=1, card=5), Ending(code="unexpected_message")),
    "a ping before hello": (message(type="ping"), Ending(code="unexpected_message")),
    "leave before hello": (message(type="leave"), Ending(code="unexpected_message")),
    "an unknown type before hello": (message(type="hullo"), Ending(code="unknown_type")),
    "a message of the referee's": (message(type="welcome"), Ending(code="unknown_type")),
    "no type": (message(name="x"), Ending(code="unknown_type")),
    "a type that is no string": (message(type=["hello"]), Ending(code="unknown_type")),
    "a thousand empty maps": (b"\0\0\0\1\x80" * 1000, Ending(code="unknown_type")),
}
"""What comes from somebody who has not said hello."""

IMPOSTORS: dict[str, tuple[dict[str, object], Ending]] = {
    "a name of 3 kB": ({"name": "a" * 3000}, _field("'name'")),
    "a name in emoji": ({"name": "🐄🐄"}, _field("'name'")),
    "a name from right to left": ({"name": "\u202eada"}, _field("'name'")),
    "a name with control characters": ({"name": "a\x1b[2J"}, _field("'name'")),
    "a name with a line end": ({"name": "ada\n"}, _field("'name'")),
    "an empty name": ({"name": ""}, _field("'name'")),
    "a name that a spreadsheet runs": ({"name": "=1+1"}, _field("'name'")),
    "a name that is markup": ({"name": "<b>x</b>"}, _field("'name'")),
    "a name that is a path": ({"name": "../../etc"}, _field("'name'")),
    "a name that is true": ({"name": True}, _field("'name'")),
    "a client with terminal escapes": ({"client": "\x1b]0;owned\x07"}, _field("'client'")),
    "a client of 1 kB": ({"client": "x" * 1000}, _field("'client'")),
    "a secret that is bytes": ({"secret": b"s"}, _field("'secret'")),
    "a secret of 3 kB": ({"secret": "s" * 3000}, _field("'secret'")),
    "no secret": ({"secret": None}, Ending(code="missing_field", words="'secret'")),
    "versions as a number": ({"versions": 1}, _field("'versions'")),
    "versions as floats": ({"versions": [1.0]}, _field("'versions'")),
    "no version at all": ({"versions": []}, _field("'versions'")),
    "a version that is not spoken": ({"versions": [2, 999]}, Ending(code="unsupported_version")),
    "games as true": ({"games": True}, _field("'games'")),
    "games that are not a number": ({"games": float("nan")}, _field("'games'")),
    "a million games": ({"games": 10**6}, _field("'games'")),
    "events as a word": ({"events": "yes"}, _field("'events'")),
    "an ext for games": ({"games": msgpack.ExtType(5, b"x")}, _field("'games'")),
    "a wrong secret": ({"secret": "guess"}, Ending(code="unknown_entrant", words="check both")),
    "an unknown name": ({"name": "nobody"}, Ending(code="unknown_entrant", words="check both")),
    "the secret's hash for the secret": ({"secret": "0" * 64}, Ending(code="unknown_entrant")),
}
"""What stands in the hello of somebody who is not let in."""

TINY = b"\xdc\x00\x68" + (b"\xdc\x00\x68" + b"\x90" * 104) * 104
"""10,920 arrays in 11 KiB, which would be 650 KB of objects."""

GUESTS: dict[str, Said] = {
    **{f"{name}, as a guest": said for name, said in FRAMES.items()},
    "64 KiB and a byte": ((65_537).to_bytes(4, "big"), _large("at most 65536")),
    "thousands of empty arrays": (frame(A + TINY), _bad("more than 4096 values")),
    "hello twice": (hello("ada", "s"), Ending(code="unexpected_message", words="'hello'")),
    "an unknown type": (message(type="dance"), Ending(code="unknown_type")),
    "a card of a request that never was": (
        message(type="card", request=2**53 - 1, card=5),
        Ending(code="unknown_request"),
    ),
    "a ping with an echo that is no number": (message(type="ping", echo="x"), _field("'echo'")),
    "a ping with an echo beyond 2^53": (message(type="ping", echo=2**53), _field("'echo'")),
    "a flood of pings": (message(type="ping") * 1000, Ending(code="flooding")),
    "a flood of empty maps": (b"\0\0\0\1\x80" * 13_107, Ending(code="flooding")),
    "a flood of answers to nothing": (
        message(type="row", request=2**52, row=1) * 1000,
        Ending(code="flooding"),
    ),
    "leave and more": (message(type="leave") + message(type="ping"), Ending(code="left")),
    "garbage in 60 KiB of an unknown field": (
        message(type="dance", x="é" * 30_000),
        Ending(code="unknown_type"),
    ),
}
"""What comes from somebody who is let in and waits for a game."""


def card(value: object, **more: object) -> Callable[[Values], bytes]:
    """Return what makes an answer with any value for the card."""
    return lambda asked: message(**{"type": "card", "request": asked["request"], "card": value, **more})


def raw_card(value: bytes) -> Callable[[Values], bytes]:
    """Return what makes an answer with any bytes for the card."""
    start = b"\x83\xa4type\xa4card\xa7request"
    return lambda asked: frame(start + msgpack.packb(asked["request"]) + b"\xa4card" + value)


PLAYERS: dict[str, tuple[Callable[[Values], bytes], Ending]] = {
    "true for a card": (card(True), _field("'card'")),
    "12.0 for a card": (card(12.0), _field("'card'")),
    "NaN for a card": (card(float("nan")), _field("'card'")),
    "an ext for a card": (card(msgpack.ExtType(5, b"\x05")), _field("'card'")),
    "a time stamp for a card": (raw_card(b"\xd6\xff" + bytes(4)), _field("'card'")),
    "an empty ext for a card": (raw_card(b"\xc7\x00\x05"), _field("'card'")),
    "arrays, a thousand deep, for a card": (raw_card(b"\x91" * 1010 + b"\xc0"), _field("'card'")),
    "bytes for a card": (card(b""), _field("'card'")),
    "text for a card": (card("12"), _field("'card'")),
    "a card beyond 104": (card(105), _field("'card'")),
    "a negative card": (card(-1), _field("'card'")),
    "a card of 2^64": (card(2**64 - 1), _field("'card'")),
    "no card": (card(None), Ending(code="missing_field", words="'card'")),
    "a request that is a float": (
        lambda asked: message(type="card", request=1.0, card=1),
        _field("'request'"),
    ),
    "a row for a card": (
        lambda asked: message(type="draft", request=asked["request"], card=1),
        Ending(code="illegal_choice"),
    ),
    "garbage in mid-game": (lambda asked: frame(b"\xc1"), _bad(NO_MAP)),
    "a flood of pings in mid-game": (lambda asked: message(type="ping") * 1000, Ending(code="flooding")),
    "a flood of second answers": (lambda asked: answer(asked) * 500, Ending(code="flooding")),
    "a flood of illegal answers": (
        lambda asked: message(type="row", request=asked["request"], row=1) * 500,
        Ending(code="flooding"),
    ),
    "a flood of old answers": (
        lambda asked: answer(asked) + message(type="card", request=1, card=1) * 500,
        Ending(code="flooding"),
    ),
}
"""What comes from somebody who was asked for a card or a row."""
