"""Imports point one way, so that the game, the wire and the tables can be used and tested without I/O."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

PURE = {"protocol", "referee.rules", "referee.tournament"}
KEPT = {*PURE, "referee.play", "referee.journal", "referee.setup"}
CORE = {*KEPT, "referee.director"}

MAY_IMPORT: dict[str, set[str]] = {
    "protocol": set(),
    "referee.rules": set(),
    "referee.tournament": set(),
    "referee.play": {"protocol", "referee.rules"},
    "referee.journal": {*PURE, "referee.play"},
    "referee.setup": {*PURE, "referee.play", "referee.journal"},
    "referee.director": KEPT,
    "referee.audit": KEPT,
    "referee.replaying": KEPT,
    "referee.exporting": {*KEPT, "referee.replaying"},
    "referee.server": CORE,
    "referee.local": {*CORE, "referee.server"},
    "referee.check": {"protocol", "referee.rules", "referee.play", "referee.local"},
    "referee.doctor": {"protocol", "referee.journal", "referee.server", "referee.local"},
    "referee.cli": {
        *CORE,
        "referee.check",
        "referee.doctor",
        "referee.audit",
        "referee.replaying",
        "referee.exporting",
        "referee.server",
        "referee.local",
    },
}
"""For each part of the house the parts below it."""

USERS = {
    "trio": {"referee.server", "referee.local", "referee.check", "referee.cli"},
    "click": {"referee.cli"},
    "rich": {"referee.cli"},
    "msgpack": {"protocol"},
    "rustworkx": {"referee.tournament"},
    "sqlite3": {"referee.journal"},
    "prometheus_client": {"referee.cli"},
}
"""Who may import what; attrs is everybody's. The core is tested by plain calls, SQL stays in the journal."""


def modules() -> dict[str, Path]:
    """Return the files of all our modules by their dotted names."""
    files = (path for package in ("protocol", "referee") for path in (ROOT / package).rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sorted(files)}


def part_of(module: str) -> str:
    """Return the part of the house to which a module belongs: a package, or a module beside the packages."""
    return "protocol" if module.startswith("protocol") else ".".join(module.split(".")[:2])


def imports(path: Path) -> Iterator[str]:
    """Yield the names of the modules that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively, which hides where to"
            # `from referee import director` imports a module, `from referee.director import Director` a name.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_part_of_the_house_has_its_place() -> None:
    """A new folder, or a module beside the folders, has to be entered above with what it may import."""
    parts = {part_of(module) for module in modules()} - {"referee.__init__"}

    assert parts == MAY_IMPORT.keys()


def test_modules_import_only_from_below() -> None:
    """Each part imports itself and the parts below it, and nothing else of ours."""
    wrong = {
        (module, used)
        for module, path in modules().items()
        for used in imports(path)
        if used.split(".")[0] in {"protocol", "referee"}
        and part_of(used) not in {part_of(module), *MAY_IMPORT[part_of(module)]}
    }

    assert wrong == set()


def test_dependencies_are_imported_only_where_they_belong() -> None:
    """Trio stays out of the core, click and rich in the command line, msgpack behind the protocol."""
    wrong = {
        (module, used)
        for module, path in modules().items()
        for used in imports(path)
        if part_of(module) not in USERS.get(used.split(".")[0], {part_of(module)})
    }

    assert wrong == set()


def test_msgpack_is_imported_by_one_module() -> None:
    """It is untyped: one module turns what it gives into typed values."""
    users = {module for module, path in modules().items() for used in imports(path) if "msgpack" in used}

    assert users == {"protocol.packing"}


def test_nobody_imports_the_client_of_bots() -> None:
    """It opens sockets and blocks; it is for bots, which are other programs."""
    users = {
        module
        for module, path in modules().items()
        for used in imports(path)
        if f"{used}.".startswith("protocol.client.")
    }

    assert users == set()
