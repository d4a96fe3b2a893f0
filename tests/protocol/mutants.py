"""Frames that are nearly right: the vectors with bytes changed, cut, doubled and spliced."""

import json
from pathlib import Path

import msgpack
from hypothesis import strategies as st

from protocol.framing import frame
from protocol.packing import MAX_MAP

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
CORPUS = Path(__file__).parent / "corpus"


def good_frames() -> list[bytes]:
    """Return each way of writing each message, as whole frames."""
    stored = json.loads((VECTORS / "messages.json").read_text())
    return [bytes.fromhex(way["hex"]) for entry in stored["messages"] for way in entry["encodings"]]


def corpus() -> list[Path]:
    """Return the inputs that are kept."""
    return sorted(CORPUS.glob("*.bin"))


@st.composite
def mutants(draw: st.DrawFn) -> bytes:
    """Return one to three good frames with a few bytes wrong."""
    data = bytearray(b"".join(draw(st.lists(st.sampled_from(good_frames()), min_size=1, max_size=3))))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.sampled_from(("change", "cut", "insert", "double"))):
            case "change":
                data[place : place + 1] = bytes([draw(st.integers(0, 255))])
            case "cut":
                del data[place : place + draw(st.integers(1, 8))]
            case "insert":
                data[place:place] = draw(st.binary(min_size=1, max_size=8))
            case "double":
                data[place:place] = data[place : place + 16]
    return bytes(data)


JSON_LIKE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)

FIELDS = ("type", "name", "secret", "versions", "games", "events", "request", "card", "row", "echo", "client")
TYPES = ("hello", "card", "row", "draft", "leave", "ping", "welcome", "choose_card", "closing")


def odd_maps() -> st.SearchStrategy[bytes]:
    """Return frames with a map of known fields that hold anything at all."""
    fields = st.dictionaries(st.sampled_from(FIELDS), JSON_LIKE, max_size=min(8, MAX_MAP))
    return st.builds(
        lambda name, values: frame(msgpack.packb({**values, "type": name})),
        st.sampled_from(TYPES) | st.text(max_size=6),
        fields,
    )


def hostile() -> st.SearchStrategy[bytes]:
    """Return bytes of every degree of wrongness."""
    return (
        st.binary(max_size=80) | mutants() | odd_maps() | st.builds(frame, st.binary(min_size=1, max_size=60))
    )
