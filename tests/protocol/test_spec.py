"""SPEC.md says what the code does: examples, bytes, transcript, vectors, positions and lists are checked."""

import enum
import hashlib
import itertools
import json
import re
import socket
import struct
import sys
from pathlib import Path

import pytest

from protocol import describe, parts
from protocol.codec import decode_from_bot, decode_from_referee, encode
from protocol.connection import Connection
from protocol.errors import ErrorCode
from protocol.framing import LIMIT, FrameReader, frame
from protocol.messages import FROM_BOT, FROM_REFEREE, Ping
from protocol.packing import pack, unpack
from protocol.states import Role
from referee.rules.decks import DealId, bot_seed, commitment, dealt_hands, dealt_rows, deck
from referee.rules.layout import Layout

ROOT = Path(__file__).parents[2]
SPEC = (ROOT / "SPEC.md").read_text(encoding="utf-8")

BOT_TYPES = [cls.TYPE for cls in FROM_BOT]
ALL_TYPES = [*BOT_TYPES, *(cls.TYPE for cls in FROM_REFEREE)]
WORDS = [parts.Variant, parts.Format, parts.By, parts.ClosedBecause, parts.WaitingFor, parts.ClosingBecause]


def blocks(text, language):
    """Return the code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def section(heading):
    """Return the text under a heading, up to the next heading."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", SPEC, re.DOTALL | re.MULTILINE)
    assert found, f"SPEC.md has no section '{heading}'"
    return found[1]


def bytes_of(block):
    """Return the bytes of a hex block: whatever stands before two spaces."""
    return bytes.fromhex("".join(line.split("  ")[0] for line in block.splitlines()))


def one_payload(data):
    """Return the payload of bytes that are one whole frame and nothing more."""
    reader = FrameReader(LIMIT)
    reader.feed(data)
    payload = reader.next_frame()
    assert reader.waiting == 0
    return payload


def example(name):
    """Return the example of a message as JSON gives it."""
    (block,) = blocks(section(name), "json")
    return json.loads(block)


def decode(name, payload):
    """Decode a payload with the side that receives this message."""
    return (decode_from_bot if name in BOT_TYPES else decode_from_referee)(payload)


def transcript():
    """Return the transcript as (sender, map) pairs."""
    block = blocks(section("2. A five-minute transcript"), "text")[0]
    lines = re.sub(r"\n +", " ", block).splitlines()
    pairs = [line.split(maxsplit=1) for line in lines]
    return [(who, json.loads(text)) for who, text in pairs if who != "..."]


def test_generated_regions_are_current():
    """`python -m protocol.describe SPEC.md` would change nothing."""
    assert describe.regenerate(SPEC) == SPEC


def test_generating_repairs_a_region_that_was_changed_by_hand(tmp_path, monkeypatch):
    """The command writes the generated regions anew and leaves the rest alone."""
    path = tmp_path / "SPEC.md"
    path.write_text(SPEC.replace("| `error (fatal)`", "| `nonsense`"), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["describe", str(path)])

    describe.main()

    assert path.read_text(encoding="utf-8") == SPEC


def test_a_region_that_nothing_generates_is_refused():
    """A misspelt region name is an error and not an empty region."""
    with pytest.raises(KeyError):
        describe.regenerate("<!-- generated: statestable -->\n<!-- end -->")


@pytest.mark.parametrize("name", ALL_TYPES)
def test_every_message_has_its_section(name):
    """Each message has direction, field table, example and bytes under a heading of its own."""
    text = section(name)

    assert ("*Bot to referee.*" if name in BOT_TYPES else "*Referee to bot.*") in text
    assert f"<!-- generated: fields-{name} -->" in text
    assert (len(blocks(text, "json")), len(blocks(text, "hex"))) == (1, 1)


@pytest.mark.parametrize("name", describe.MAPS)
def test_every_map_inside_messages_has_its_section(name):
    """Each map that a field table links to is described."""
    assert f"<!-- generated: map-{name} -->" in section(f"map {name}")


def test_field_tables_link_only_to_described_maps():
    """No field holds a map that the document leaves out."""
    linked = set(re.findall(r"\[map (\w+)\]", SPEC))

    assert linked == set(describe.MAPS)


@pytest.mark.parametrize("name", ALL_TYPES)
def test_the_bytes_of_each_example_are_its_frame(name):
    """The hex block decodes to the example above it, and is just what our own code would send."""
    (block,) = blocks(section(name), "hex")
    payload = one_payload(bytes_of(block))
    message = decode(name, payload)

    assert unpack(payload) == example(name)
    assert message.TYPE == name
    assert encode(message) == payload


def test_every_optional_field_is_shown_or_rightly_absent():
    """Each example holds all required fields, and no field that the message does not have."""
    for name, cls in describe.MESSAGES.items():
        declared = describe.specs(cls)
        shown = set(example(name)) - {"type"}

        assert {spec.name for spec in declared if spec.required} <= shown
        assert shown <= {spec.name for spec in declared}


def test_the_first_frame_is_annotated_byte_by_byte():
    """The frame that explains framing is a ping with 300."""
    (block,) = blocks(section("3. Framing"), "hex")

    assert decode_from_bot(one_payload(bytes_of(block))) == Ping(echo=300)
    assert len(bytes_of(block)) == 4 + 19


def test_hex_blocks_say_what_their_bytes_are():
    """Long values go over several lines of 16 bytes; nested ones are indented below their parent."""
    assert describe.annotated_hex({"type": "x", "rows": [[1], [2]], "cards": list(range(1, 21))}) == (
        "\n```hex\n"
        "00 00 00 2f                                      length: 47 bytes follow\n"
        "83                                               map of 3\n"
        'a4 74 79 70 65 a1 78                               type: "x"\n'
        "a4 72 6f 77 73 92                                  rows: array of 2\n"
        "91 01                                                [0] [1]\n"
        "91 02                                                [1] [2]\n"
        "a5 63 61 72 64 73 dc 00 14 01 02 03 04 05 06 07    cards: array of 20\n"
        "08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14\n"
        "```\n\n"
    )


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_code_is_explained(code):
    """Each code has one row that says what follows, what happened and what to do."""
    rows = [line for line in section("8. Errors").splitlines() if line.startswith(f"| `{code.value}` |")]

    assert [row.count(" | ") for row in rows] == [3]


@pytest.mark.parametrize("word", [word.value for words in WORDS for word in words])
def test_every_fixed_word_is_explained(word):
    """Each word that a field may hold is in the text outside of the generated tables."""
    text = describe.REGION.sub("", SPEC)

    assert re.search(rf"`{word}`|\*\*{word}", text, re.IGNORECASE)


def test_the_words_checked_are_all_there_are():
    """A new kind of word in the messages' parts must be added to the check above."""
    found = {
        value for value in vars(parts).values() if isinstance(value, type) and issubclass(value, enum.Enum)
    }

    assert found == set(WORDS)


def test_both_ends_accept_the_transcript():
    """Each message is allowed where it stands, and the referee's are what our own code would send."""
    ends = {role.value: Connection(role) for role in Role}
    for sender, shown in transcript():
        receiver = ends[Role(sender).other.value]
        data = ends[sender].send(decode(shown["type"], pack(shown)))
        receiver.receive(data)

        if sender == "referee":
            assert unpack(one_payload(data)) == shown
        assert receiver.next_message() == decode(shown["type"], pack(shown))


def test_the_smallest_bot_plays_the_transcript(monkeypatch):
    """The bot of section 2, run as it stands, says exactly what the transcript shows, then ends."""
    referee, bot = socket.socketpair()
    hello = transcript()[0][1]
    monkeypatch.setenv("TAKE5_HOST", "127.0.0.1")
    monkeypatch.setenv("TAKE5_PORT", "1234")
    monkeypatch.setenv("TAKE5_NAME", hello["name"])
    monkeypatch.setenv("TAKE5_SECRET", hello["secret"])
    asked_for = []
    monkeypatch.setattr(socket, "create_connection", lambda address: asked_for.append(address) or bot)
    with referee, bot:
        for sender, message in transcript():
            if sender == "referee":
                referee.sendall(frame(pack(message)))
        (code,) = blocks(section("The smallest bot"), "python")
        names = {}
        exec(compile(code, "the smallest bot", "exec"), names)
        names["stream"].close()
        bot.close()
        reader = FrameReader(LIMIT)
        while data := referee.recv(LIMIT):
            reader.feed(data)
    said = [unpack(payload) for payload in iter(reader.next_frame, None)]

    assert asked_for == [("127.0.0.1", 1234)]
    assert said == [message for sender, message in transcript() if sender == "bot"]


def test_the_smallest_bot_is_small():
    """It stays about thirty lines long."""
    (code,) = blocks(section("The smallest bot"), "python")

    assert len([line for line in code.splitlines() if line.strip()]) <= 30


def test_the_transcript_was_dealt_from_its_seed():
    """Hands, rows, bot seeds and the commitment of the transcript follow from the published seed."""
    shown = {message["type"]: message for _, message in reversed(transcript())}
    end, request = shown["tournament_end"], shown["choose_card"]
    cards = deck(end["seed"], DealId(round=1, table=1, deal_set=1, deal=1), highest=104, count=24)
    number = bot_seed(end["seed"], game="r1t1g1", entrant="ada", decision="d1t1card")

    assert shown["welcome"]["commitment"] == commitment(bytes.fromhex(end["nonce"]), end["seed"])
    assert request["hand"] == list(dealt_hands(cards, 2)[0])
    assert request["rows"] == [list(row) for row in dealt_rows(cards, 2)]
    assert request["bot_seed"] == number


def test_the_row_request_names_its_bot_seed_as_the_text_says():
    """The example decision `d1t2row` of section 12 is the row request of the transcript."""
    seed = example("tournament_end")["seed"]

    assert "`d1t2row`" in section("bot_seed")
    assert example("choose_row")["bot_seed"] == bot_seed(
        seed, game="r1t1g1", entrant="ada", decision="d1t2row"
    )


def test_the_shuffle_vector_of_the_text_is_right():
    """The hashes printed in section 12 come from the formula, computed here by hand."""
    text = section("Where the cards come from")
    seed = example("tournament_end")["seed"]
    hashed = hashlib.sha256(seed.encode()).digest()
    block = hashlib.sha256(b"take5-deal-1" + hashed + struct.pack(">5I", 1, 1, 1, 1, 0)).hexdigest()
    cards = deck(seed, DealId(round=1, table=1, deal_set=1, deal=1), highest=104, count=24)

    assert f"seed `{seed}`" in text
    assert f"SHA256(seed) = {hashed.hex()}\n" in text
    assert f"block(0)     = {block}\n" in text
    assert f"\n{' '.join(map(str, cards))}\n" in text


def test_the_record_of_the_text_has_the_digest_of_the_transcript():
    """Hashing the printed lines gives `game_end.digest`, and that one `tournament_end.digest`."""
    (record,) = blocks(section("The record of a game"), "jsonl")
    digest = hashlib.sha256(record.encode()).hexdigest()

    assert example("game_end")["digest"] == digest
    assert example("tournament_end")["digest"] == hashlib.sha256(f"{digest}\n".encode()).hexdigest()


def test_the_record_of_the_text_shows_its_own_form():
    """Each printed line has sorted keys, no spaces, and the keys that the table of events lists."""
    (record,) = blocks(section("The record of a game"), "jsonl")
    table = re.findall(r"^\| `(\w+)` \| (.*) \|$", section("The record of a game"), re.MULTILINE)
    keys = {event: set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", rest))) for event, rest in table}
    for line in record.splitlines():
        values = json.loads(line)

        assert json.dumps(values, sort_keys=True, separators=(",", ":")) == line
        assert set(values) == {"event"} | keys[values["event"]]


def positions():
    """Return the worked positions of the cow as rows of cells."""
    lines = [line for line in section("The cow").splitlines() if re.match(r"\| `\d", line)]
    return [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines]


def read_rows(cell):
    """Return rows and cow of a cell such as `7 12 C / 33 / 61 / 90`."""
    rows = [row.split() for row in cell.split("/")]
    (cow,) = [index for index, row in enumerate(rows) if row[-1] == "C"]
    return [tuple(int(card) for card in row if card != "C") for row in rows], cow


@pytest.mark.parametrize("cells", positions(), ids=lambda cells: f"{cells[0]}, {cells[1]}")
def test_t5_rules_05_the_worked_positions_are_right(cells):
    """The machine lays each card of the table as the table says."""
    before, laid, after, taken, _ = cells
    layout = Layout(*read_rows(before))
    card, _, chosen = laid.partition(" > ")
    takes = layout.place(int(card), int(chosen) if chosen else None).takes
    told = ", ".join(f"`{' '.join(map(str, take.cards))}` ({take.bullheads})" for take in takes)

    assert (layout.rows, layout.cow) == read_rows(after)
    assert (told or "nothing").strip("`") == taken


def test_there_are_worked_positions_of_the_cow():
    """The table is found and holds all eight of them."""
    assert len(positions()) == 8


def test_requirement_ids_are_unique_and_have_no_gaps():
    """Each id is stated once, and the numbers of an area run from 01 without a hole."""
    ids = [one.id for one in describe.requirements(SPEC)]
    areas = itertools.groupby(sorted(ids), key=lambda name: name.split("-")[1])
    expected = [f"T5-{area}-{n:02}" for area, some in areas for n in range(1, len(list(some)) + 1)]

    assert sorted(ids) == expected


def test_every_requirement_in_bold_is_understood():
    """No statement is lost from the list because its form is a little off."""
    assert SPEC.count("**T5-") == len(describe.requirements(SPEC))


def test_every_id_mentioned_is_stated():
    """The text refers to no requirement that does not exist."""
    mentioned = set(re.findall(r"T5-[A-Z]+-\d\d", SPEC))

    assert mentioned == {one.id for one in describe.requirements(SPEC)}


def test_every_requirement_is_listed_with_its_keeper():
    """The final list has each id with who must keep it."""
    listed = re.findall(
        r"^\| (T5-\S+) \| .* \| (\w+) \| \[.*\) \|$", section("15. Requirements"), re.MULTILINE
    )

    assert listed == [(one.id, one.keeper) for one in describe.requirements(SPEC)]


def ids_with_a_test():
    """Return the ids that some test anywhere is named after."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    named = {name for text in sources for name in re.findall(r"def test_(t5_[a-z]+_\d\d)_", text)}
    return {name.upper().replace("_", "-") for name in named}


def test_requirements_and_the_tests_named_after_them_are_the_same():
    """A new id fails here until its test exists, and so does a test of an id that is no longer stated."""
    known = {one.id for one in describe.requirements(SPEC)}

    assert known == ids_with_a_test()


def test_links_inside_the_document_lead_somewhere():
    """Each link to a section is the anchor of a heading."""
    prose = re.sub(r"^```.*?^```$", "", SPEC, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    assert set(re.findall(r"\]\(#([^)]+)\)", SPEC)) <= anchors


def test_vector_files_that_the_text_names_exist():
    """What the document sends its readers to is there."""
    named = set(re.findall(r"`(protocol/vectors/[\w.]+)`", SPEC))

    assert len(named) == 2
    assert all((ROOT / name).is_file() for name in named)
