"""Writes messages.json and sessions.json in protocol/vectors: `python -m tests.protocol.make_vectors`.

The bytes come from the packer of `referee.check.encodings`, which is independent of the msgpack package; the
values from the examples of SPEC.md and from real games.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol.messages import (
    VERSION,
    Card,
    Closing,
    Hello,
    Ping,
    Pong,
    TournamentEnd,
    Welcome,
)
from protocol.packing import unpack
from protocol.parts import ClosingBecause, Format, Limits, StandingsLine, TournamentInfo
from protocol.records import pack as pack_values
from protocol.records import specs, write
from protocol.schema import MESSAGES
from referee.check.encodings import PLAIN, Heads, Integers, Manner, pack
from referee.check.match import Match, Plan, answer_of, request_ids
from referee.check.shapes import in_reverse, with_nil_for_absent, with_unknown_fields
from referee.play.briefing import rules_info
from referee.rules.variants import Rules, Variant

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "protocol" / "vectors"

MANNERS = {
    "as our referee and our client write it": PLAIN,
    "unknown fields": Manner(shape=with_unknown_fields),
    "nil in every field that is absent": Manner(shape=with_nil_for_absent),
    "fields in reverse order": Manner(shape=in_reverse),
    "lengths of strings, arrays and maps in 32 bits": Manner(heads=Heads.LONGEST),
    "integers as uint 64": Manner(integers=Integers.UINT64),
    "integers as int 64": Manner(integers=Integers.INT64),
    "integers as uint 16 where they fit": Manner(integers=Integers.UINT16),
    "integers as int 32 where they fit": Manner(integers=Integers.INT32),
}
FURTHER_MANNERS = {
    "integers as uint 8 where they fit": Manner(integers=Integers.UINT8),
    "integers as uint 32": Manner(integers=Integers.UINT32),
    "integers as int 8 where they fit": Manner(integers=Integers.INT8),
    "integers as int 16 where they fit": Manner(integers=Integers.INT16),
}
SHORT = 120
"""Messages of up to so many bytes are written in the further manners too."""

ABOUT_MESSAGES = [
    "Every message, and the ways in which it may be written. All encodings of a message mean the same.",
    "from: who sends it, 'bot' or 'referee'. message: what it says; absent and null mean the same.",
    "encodings: whole frames in hex, each with how it is written.",
]
ABOUT_SESSIONS = [
    "Whole sessions of one bot with the referee, from hello to closing, both ways and in order.",
    "from: who says it, 'bot' or 'referee'; or 'network', where `event` says what happens to the connection.",
    "hex: the whole frame. message: what it says, with the fields that mean nothing.",
]


def framed(values: dict[str, Any], manner: Manner = PLAIN) -> bytes:
    """Return the frame for a map."""
    payload = manner.write(values)
    return len(payload).to_bytes(4, "big") + payload


def plain(message: Any) -> dict[str, Any]:
    """Return what stands on the wire for a message, as declared."""
    return {"type": message.TYPE, **unpack(pack_values(write(message)))}


def examples() -> dict[str, dict[str, Any]]:
    """Return the example of each message in SPEC.md."""
    spec = (ROOT / "SPEC.md").read_text(encoding="utf-8")
    found = re.findall(r"^```json\n(.*?)^```$", spec, re.DOTALL | re.MULTILINE)
    maps = [json.loads(block) for block in found]
    return {values["type"]: values for values in maps if values.get("type") in MESSAGES}


def message_vectors() -> list[dict[str, Any]]:
    """Return each message as in SPEC.md, and where it has optional fields once without them."""
    found = []
    for name, values in examples().items():
        required = {"type", *(spec.name for spec in specs(MESSAGES[name]) if spec.required)}
        found.append(_message_vector(name, values))
        if values.keys() > required:
            bare = {key: value for key, value in values.items() if key in required}
            found.append(_message_vector(f"{name}, required fields only", bare))
    return found


def _message_vector(name: str, values: dict[str, Any]) -> dict[str, Any]:
    manners = MANNERS | (FURTHER_MANNERS if len(pack(values)) <= SHORT else {})
    frames = {how: framed(values, manner).hex() for how, manner in manners.items()}
    seen: set[str] = set()
    encodings = []
    for how, data in frames.items():
        if data not in seen:
            encodings.append({"how": how, "hex": data})
        seen.add(data)
    sender = "bot" if values["type"] in ("hello", "card", "row", "draft", "leave", "ping") else "referee"
    return {"name": name, "from": sender, "message": values, "encodings": encodings}


class Session:
    """Writes down one session."""

    def __init__(self, name: str, about: str, plan: Plan, *, events: bool = False) -> None:
        self.name = name
        self.about = about
        self.events = events
        self.match = Match(plan, "ada", request_ids())
        self.plan = plan
        self.steps: list[dict[str, Any]] = []
        self._said = 0

    def bot(self, message: Any) -> None:
        """Let the bot say something."""
        self._say("bot", plain(message))

    def referee(self, *messages: Any) -> None:
        """Let the referee say something; its messages 1, 17, 33, ... hold a field that means nothing."""
        for message in messages:
            values = plain(message)
            if self._said % 16 == 0:
                inner = {"reason": "fields you do not know are to be ignored"}
                values["x_ignore_me"] = [inner, None, True, 0, ""]
            self._said += 1
            self._say("referee", values)

    def network(self, event: str) -> None:
        """Let something happen to the connection, after which there is another."""
        self.steps.append({"from": "network", "event": event})
        self._said = 0

    def meet(self, *, back: bool = False) -> None:
        """Let the bot introduce itself and be welcome."""
        hello = Hello(name="ada", secret="s3cret", versions=(VERSION,), events=self.events, client="ada 1.0")
        self.bot(hello)
        info = rules_info(self.plan.rules)
        self.referee(
            Welcome(
                version=VERSION,
                referee="take5-referee",
                name="ada",
                tournament=TournamentInfo(
                    format=Format.ROUND_ROBIN, table_size=self.plan.players, games=1, rounds=1, rules=info
                ),
                limits=Limits(
                    move_ms=self.plan.move_ms, grace_ms=0, bank_ms=0, strikes=3, frame_bytes=65536, games=1
                ),
                commitment="0" * 64,
                open_games=(self.match.game,) if back else (),
            )
        )

    def play(self, answers: int = 10_000) -> None:
        """Let the bot answer so often; it takes chance from bot_seed."""
        for _ in range(answers):
            request = self.match.asked
            if request is None:
                return
            choice = request.choices[request.bot_seed % len(request.choices)]
            answer = answer_of(request, choice)
            self.bot(answer)
            self.referee(*self.match.take(answer))

    def end(self) -> dict[str, Any]:
        """Let the tournament be over, and return the vector."""
        line = StandingsLine(rank=1, name="ada", points="1/3", games=1)
        self.referee(
            TournamentEnd(
                complete=True, standings=(line,), you=line, nonce="0" * 64, seed="vectors", digest="0" * 64
            ),
            Closing(reason=ClosingBecause.FINISHED, message="The tournament is over."),
        )
        return {"name": self.name, "about": self.about, "steps": self.steps}

    def _say(self, sender: str, values: dict[str, Any]) -> None:
        self.steps.append({"from": sender, "hex": framed(values).hex(), "message": values})


def sessions() -> list[dict[str, Any]]:
    """Return all sessions."""
    return [_classic(), _advanced(), _rejoin(), _illegal()]


def _classic() -> dict[str, Any]:
    about = "A deal of the classic game at a table of three, with rows to take. The bot pings once."
    session = Session("classic", about, Plan(players=3, lowest_hand=True, seat=1))
    session.meet()
    session.bot(Ping(echo=300))
    session.referee(Pong(echo=300))
    session.referee(*session.match.begin(events=False))
    session.play()
    return session.end()


def _advanced() -> dict[str, Any]:
    about = "A deal of the advanced variant with the cow at a table of two, for a bot that wants events."
    rules = Rules(variant=Variant.ADVANCED, jumping_cow=True, target=None, deals=1)
    session = Session("advanced with the cow", about, Plan(rules=rules, players=2), events=True)
    session.meet()
    session.referee(*session.match.begin(events=True))
    session.play()
    return session.end()


def _rejoin() -> dict[str, Any]:
    about = (
        "The connection is lost with a request open. The bot comes back and finds it open, with less time."
    )
    session = Session("rejoin", about, Plan(players=2), events=True)
    session.meet()
    session.referee(*session.match.begin(events=True))
    session.play(3)
    session.network("the connection is lost")
    session.match.lose_bot()
    session.meet(back=True)
    session.referee(*session.match.regain_bot(events=True, after_ms=150))
    session.play()
    return session.end()


def _illegal() -> dict[str, Any]:
    about = (
        "Two wrong answers that are put right, then three in one trick, of which the last costs a default."
    )
    session = Session("illegal answers", about, Plan(players=2, seat=1))
    session.meet()
    session.referee(*session.match.begin(events=False))
    for wrong_answers, answers in ((2, 1), (3, 100)):
        for _ in range(wrong_answers):
            request = session.match.asked
            assert request is not None
            wrong = next(card for card in range(1, 105) if card not in request.choices)
            answer = Card(request=request.request, card=wrong)
            session.bot(answer)
            session.referee(*session.match.take(answer))
        session.play(answers)
    return session.end()


def lines(about: list[str], key: str, vectors: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the text of a file, with a line for each small thing."""
    yield '{"about": ['
    yield ",\n".join(json.dumps(line) for line in about)
    yield f'],\n"{key}": ['
    yield ",\n".join(_vector(vector) for vector in vectors)
    yield "]}\n"


def _vector(vector: dict[str, Any]) -> str:
    *scalars, (inner, items) = vector.items()
    head = ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in scalars)
    return f"{{{head}, {json.dumps(inner)}: [\n" + ",\n".join(map(json.dumps, items)) + "\n]}"


def texts() -> dict[str, str]:
    """Return what each file holds, by its name."""
    return {
        "messages.json": "\n".join(lines(ABOUT_MESSAGES, "messages", message_vectors())),
        "sessions.json": "\n".join(lines(ABOUT_SESSIONS, "sessions", sessions())),
    }


def main() -> None:
    """Write the files."""
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
