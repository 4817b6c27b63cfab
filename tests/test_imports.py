"""The import graph: no cycle, and no room imports from one above it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "saddleback"

PAGE = PACKAGE.parent.parent / "docs" / "architecture.md"
# Not in the picture: the version, which imports nothing, and the two modules that only import.
BOTTOM, TOP = ("_version",), ("", "__main__")


def rows_of_the_picture() -> list[tuple[str, ...]]:
    """The rooms of each row of the tree on the architecture page, from the top to the bottom."""
    picture = re.search(r"^## The tree$.*?^```\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert picture is not None
    rows = [re.findall(r"(?<!\S)(\w+)(?:/|\.py)(?=\s)", line[:36]) for line in picture[1].splitlines()]
    return [tuple(row) for row in rows if row]


# From the bottom to the top. Rooms of one row do not import from each other.
LAYERS = (BOTTOM, *reversed(rows_of_the_picture()), TOP)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def name_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> dict[str, set[str]]:
    """Module -> the modules that it imports anywhere in its text, lazily or for type hints included."""
    files = {name_of(file): file for file in PACKAGE.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, file in files.items():
        package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
        package = [part for part in package if part]
        found = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("saddleback") for alias in node.names), file
            if not isinstance(node, ast.ImportFrom):
                continue
            if node.module == "importlib" and any(alias.name == "import_module" for alias in node.names):
                # Imported by name when a function is called: any module of the same folder.
                found |= {module for module in files if module.startswith(f"{name}.")}
            if not (node.level or (node.module or "").startswith("saddleback")):
                continue
            assert node.level, f"{file}: imports within the package are relative"
            base = package[: len(package) - node.level + 1]
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}" if source else alias.name
                found.add(inner if inner in files else source)
        graph[name] = found - {name}
        assert found <= set(files), (name, found - set(files))
    return graph


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in graph[module]:
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            component = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(component) > 1:
                found.append(sorted(component))

    for module in graph:
        if module not in index:
            visit(module)
    return found


def room(module: str) -> str:
    return module.split(".")[0]


def test_the_search_finds_cycles():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]
    assert cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_cycle():
    assert cycles(import_graph()) == []


def test_every_room_has_a_layer():
    assert {room(module) for module in import_graph()} == set(LEVEL)


def test_no_import_goes_up():
    graph = import_graph()
    upward = [
        (module, other)
        for module, others in graph.items()
        for other in others
        if room(other) != room(module) and LEVEL[room(other)] >= LEVEL[room(module)]
    ]
    assert upward == []


def test_the_names_that_the_package_shows():
    """All of __all__ and what is imported when it is asked for, and nothing that it only uses itself."""
    import saddleback as sb

    shown = set(dir(sb))
    assert shown >= {*sb.__all__, "MinimaxClassifierCV", "fit_table", "learn", "losses", "__doc__"}
    assert not shown & {"Any", "TYPE_CHECKING", "annotations"}
