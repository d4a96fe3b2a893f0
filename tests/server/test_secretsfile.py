"""The secrets file: what it may hold, and that it never holds a secret."""

import stat
from pathlib import Path

import pytest

from referee.server import secretsfile
from referee.server.lobby import hashed
from referee.server.secretsfile import SecretsFileError

HASH = "ab" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the file is."""
    return tmp_path / "secrets.txt"


def test_what_is_made_can_be_read(path: Path) -> None:
    """Each name with its secret; a second one for a name is one more; the order is that of the names."""
    made = secretsfile.append(path, ["ada", "bob", "ada"])
    (first, second), (bob,) = [
        [secret for name, secret in made if name == wanted] for wanted in ("ada", "bob")
    ]

    assert ["ada", "bob", "ada"] == [name for name, _ in made]
    assert {"ada": {hashed(first), hashed(second)}, "bob": {hashed(bob)}} == secretsfile.read(path)
    assert 16 == len(bytes.fromhex(first))


def test_the_file_holds_hashes_and_is_its_owners_alone(path: Path) -> None:
    """No secret is in it, and nobody else may read it."""
    ((_, secret),) = secretsfile.append(path, ["ada"])

    assert f"ada sha256:{hashed(secret)}\n" == path.read_text()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_what_somebody_typed_without_a_line_end_is_not_spoiled(path: Path) -> None:
    """The new line begins a line of its own."""
    path.write_text(f"ada sha256:{HASH}")
    secretsfile.append(path, ["bob"])

    assert {"ada", "bob"} == set(secretsfile.read(path))


def test_comments_spaces_and_line_ends_do_not_matter(path: Path) -> None:
    """As editors of all systems leave them."""
    path.write_bytes(f"# cup\r\n\r\n  ada   sha256:{HASH}  \r\n".encode())

    assert {"ada": {HASH}} == secretsfile.read(path)


@pytest.mark.parametrize(
    "line",
    [
        "ada",
        f"ada {HASH}",
        f"ada sha256:{HASH[1:]}",
        f"ada sha256:{HASH.upper()}",
        f"Ada sha256:{HASH}",
        f"a{'x' * 32} sha256:{HASH}",
        f"ada sha256:{HASH} more",
        "\x1b[2J",
    ],
)
def test_a_line_that_is_none_is_named_by_its_number(path: Path, line: str) -> None:
    """The sentence says where, and what writes such lines."""
    path.write_text(f"bob sha256:{HASH}\n{line}\n")
    with pytest.raises(SecretsFileError) as caught:
        secretsfile.read(path)

    assert f"{path}, line 2: expected NAME sha256:HASH as `take5-referee secret new` writes it" == str(
        caught.value
    )


def test_an_empty_file_is_refused(path: Path) -> None:
    """It would let nobody in."""
    path.write_text("# nothing yet\n")
    with pytest.raises(SecretsFileError) as caught:
        secretsfile.read(path)

    assert f"{path} holds no secret; make some: take5-referee secret new NAME..." == str(caught.value)


def test_a_bad_name_leaves_the_file_as_it_was(path: Path) -> None:
    """Nothing is made for the good names before it either."""
    with pytest.raises(SecretsFileError, match="'Bob' is no name for an entrant"):
        secretsfile.append(path, ["ada", "Bob"])

    assert not path.exists()
