"""`take5-referee schema` prints what `protocol.schema` says."""

import json
from collections.abc import Callable

from protocol.schema import schema, schema_of
from tests.cli.conftest import Outcome

Referee = Callable[..., Outcome]


def test_all_messages_are_printed(referee: Referee) -> None:
    """One JSON document on stdout."""
    shown = referee("schema")

    assert (0, "") == (shown.code, shown.err)
    assert schema() == json.loads(shown.out)


def test_one_message_is_printed(referee: Referee) -> None:
    """With the maps inside it."""
    shown = referee("schema", "trick_result")

    assert schema_of("trick_result") == json.loads(shown.out)
    assert {"Placement", "Take"} == json.loads(shown.out)["$defs"].keys()


def test_a_misspelt_message_is_told(referee: Referee) -> None:
    """In one sentence, with the message that was probably meant."""
    shown = referee("schema", "choosecard")

    assert (2, "") == (shown.code, shown.out)
    assert "there is no message 'choosecard'; did you mean choose_card?" in shown.err
