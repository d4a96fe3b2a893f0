"""The worked positions of protocol/vectors/rules.json, and of a file that somebody else may name."""

import json
import os
from importlib.resources import files
from pathlib import Path

import pytest

from referee.rules.layout import Layout


def load_vectors():
    """Read our positions, and those of the file that TAKE5_RULE_VECTORS names."""
    texts = [files("protocol").joinpath("vectors/rules.json").read_text(encoding="utf-8")]
    if further := os.environ.get("TAKE5_RULE_VECTORS"):
        texts.append(Path(further).read_text(encoding="utf-8"))
    return [vector for text in texts for vector in json.loads(text)]


@pytest.mark.parametrize("vector", load_vectors(), ids=lambda vector: vector["name"])
def test_worked_position(vector):
    """Laying the cards in order leaves the rows and the cow as the position says, and takes what it says."""
    layout = Layout(vector["rows"], vector["cow"])
    takes = []
    for placement in vector["placements"]:
        laid = layout.place(placement["card"], placement.get("row"))
        takes += [
            {
                "player": placement["player"],
                "row": take.row,
                "cards": list(take.cards),
                "bullheads": take.bullheads,
            }
            for take in laid.takes
        ]

    expected = {"rows": vector["after"], "cow": vector["cow_after"], "takes": vector["takes"]}
    assert expected == {
        "rows": [list(cards) for cards in layout.rows],
        "cow": layout.cow,
        "takes": takes,
    }


def test_further_positions_can_be_named(tmp_path, monkeypatch):
    """A file named by TAKE5_RULE_VECTORS is run as well as our own."""
    monkeypatch.delenv("TAKE5_RULE_VECTORS", raising=False)
    own = load_vectors()
    further = tmp_path / "further.json"
    further.write_text(json.dumps(own[:1]), encoding="utf-8")
    monkeypatch.setenv("TAKE5_RULE_VECTORS", str(further))

    assert own + own[:1] == load_vectors()
