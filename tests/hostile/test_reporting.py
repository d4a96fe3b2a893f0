"""Results of a check as text, JSON and JUnit XML."""

import json
from xml.etree import ElementTree

from referee.check import reporting
from referee.check.log import Entry, Sender
from referee.check.verdicts import Result, Verdict


def result(verdict=Verdict.PASSED, **changes):
    """Return a result."""
    fields = {
        "name": "pong",
        "title": "It ignores a pong.",
        "requirement": "T5-LIMIT-03",
        "section": "States",
        "verdict": verdict,
        "sentence": "" if verdict is Verdict.PASSED else "It did not.",
        "seconds": 1.25,
        "entries": (
            Entry(at_s=0.5, sender=Sender.REFEREE, message={"type": "pong"}, data=b"\0\0\0\x01\x80"),
            Entry(at_s=0.75, sender=Sender.NOBODY, remark="the bot has hung up"),
        ),
        "output": "last words\x1b[31m\n",
    }
    return Result(**{**fields, **changes})


def test_what_passed_is_one_line():
    """Verdict, name, requirement and title."""
    assert list(reporting.text(result(), whole=False)) == [
        "pass    pong                  T5-LIMIT-03     It ignores a pong."
    ]


def test_a_failure_says_what_happened_and_what_to_read():
    """What was said stands decoded and in hex, and the bot's own output cannot steer the terminal."""
    assert list(reporting.text(result(Verdict.FAILED), whole=False)) == [
        "FAIL    pong                  T5-LIMIT-03     It ignores a pong.",
        "        It did not.",
        '        Read T5-LIMIT-03 in SPEC.md, under "States".',
        '           0.500 s  referee   {"type": "pong"}',
        "                                00 00 00 01 80",
        "           0.750 s  --        the bot has hung up",
        "        The bot wrote:",
        "          last words\\x1b[31m",
    ]


def test_long_conversations_and_frames_are_cut_unless_all_is_wanted():
    """The last eight entries, 96 bytes and 400 characters each; with `whole` everything."""
    entry = Entry(at_s=0, sender=Sender.BOT, message={"x": "y" * 500}, data=b"z" * 100)
    long = result(Verdict.FAILED, entries=(entry,) * 9, output="")

    cut = list(reporting.text(long, whole=False))
    whole = list(reporting.text(long, whole=True))

    assert "        The last 8 of 9 things that happened:" == cut[3]
    assert ("                                ... (100 bytes in all)", True) == (
        cut[-1],
        cut[4].endswith("yyy ..."),
    )
    assert 3 + 9 * (1 + 4) == len(whole)
    assert whole[3].endswith('yyy"}')


def test_the_whole_conversation_of_a_bot_that_passes_can_be_shown():
    """With `whole`."""
    assert 4 == len(list(reporting.text(result(), whole=True)))


def test_the_summary_counts():
    """Only what there is."""
    results = [result(), result(Verdict.FAILED), result(Verdict.PASSED), result(Verdict.NOT_APPLICABLE)]

    assert "4 situations: 2 passed, 1 failed, 1 not applicable" == reporting.summary(results)


def test_advice_is_no_failure():
    """Only a failure fails the check."""
    assert reporting.passed([result(Verdict.ADVISED), result(Verdict.NOT_APPLICABLE)])
    assert not reporting.passed([result(), result(Verdict.FAILED)])


def test_json_holds_everything():
    """Also what the text cuts, and values that JSON does not know."""
    odd = Entry(at_s=0.0014, sender=Sender.BOT, message={"type": "card", "x": b"\x01"}, data=b"\x01")

    document = json.loads(reporting.as_json("mine", [result(Verdict.FAILED, entries=(odd,))]))

    assert {
        "format": 1,
        "bot": "mine",
        "passed": False,
        "situations": [
            {
                "name": "pong",
                "requirement": "T5-LIMIT-03",
                "section": "States",
                "title": "It ignores a pong.",
                "verdict": "fail",
                "sentence": "It did not.",
                "seconds": 1.25,
                "conversation": [
                    {
                        "at_ms": 1,
                        "from": "bot",
                        "message": {"type": "card", "x": "b'\\x01'"},
                        "hex": "01",
                        "remark": "",
                    }
                ],
                "output": "last words\x1b[31m\n",
            }
        ],
    } == document


def test_junit_is_xml_that_counts():
    """A failure with its text, a skipped test, advice as output; nothing that XML cannot hold."""
    results = [result(), result(Verdict.FAILED), result(Verdict.NOT_APPLICABLE), result(Verdict.ADVISED)]

    suite = ElementTree.fromstring(reporting.as_junit("mine\x1b", results))

    assert ("4", "1", "1") == (suite.get("tests"), suite.get("failures"), suite.get("skipped"))
    assert [[], ["failure"], ["skipped"], ["system-out"]] == [[child.tag for child in case] for case in suite]
    assert "take5-referee check mine\\x1b" == suite.get("name")
