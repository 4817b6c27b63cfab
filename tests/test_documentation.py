"""The documentation is true: its code runs and prints what it says, its links lead somewhere, its map is complete."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import sys
from pathlib import Path

import pytest
from cli.program import typed
from documentation import DOCS, PAGES, ROOT, Block, blocks
from threadpoolctl import threadpool_limits

import saddleback

MAP = DOCS / "paper_map.md"


def identify(value: object) -> str | None:
    return str(value.relative_to(ROOT)) if isinstance(value, Path) else None


# --- code blocks ------------------------------------------------------------------------------------------------------


def pages_with_code() -> list[object]:
    """Pages with commands fit whole models, which takes time."""
    found = {page: blocks(page) for page in PAGES}
    slow = {page for page, parts in found.items() if any(block.language == "console" for block in parts)}
    return [pytest.param(page, marks=[pytest.mark.slow] * (page in slow)) for page, parts in found.items() if parts]


def run_python(block: Block, page: Path, namespace: object) -> None:
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, vars(namespace))
    assert printed.getvalue() == block.output, f"{page.name}, line {block.line}"


def run_commands(block: Block, page: Path) -> None:
    """Lines are broken as the terminal is wide, and ``...`` stands for what a page leaves out."""
    same = doctest.OutputChecker().check_output
    for command, shown in zip(block.code.splitlines(), block.shown, strict=True):
        program, *arguments = shlex.split(command)
        assert program == "saddleback", f"{page.name}, line {block.line}: {command}"
        # Boosting of small tables: more threads would wait for each other.
        with threadpool_limits(1):
            done = typed(*arguments)
        assert done.status == 0, done.err
        if shown:
            assert same(shown, done.out, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), f"{command}\n{done.out}"


@pytest.mark.parametrize("page", pages_with_code(), ids=identify)
def test_code_blocks_print_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # A module of its own, because dataclasses look up the module they are defined in.
    namespace = type(sys)("documentation_example")
    monkeypatch.setitem(sys.modules, namespace.__name__, namespace)
    for block in blocks(page):
        if block.language == "python":
            run_python(block, page, namespace)
        else:
            run_commands(block, page)


def test_every_page_with_code_is_found():
    assert {page.name for page in PAGES if blocks(page)} >= {"README.md", "architecture.md", "guide.md"}


def modules() -> list[str]:
    found = (m.name for m in pkgutil.walk_packages(saddleback.__path__, "saddleback."))
    # Importing __main__ would run the program.
    return ["saddleback", *(name for name in found if not name.endswith("__main__"))]


@pytest.mark.parametrize("name", modules())
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


# --- the map of the paper ---------------------------------------------------------------------------------------------


def map_rows() -> list[list[str]]:
    lines = MAP.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in rows if not set("".join(row)) <= set("-: ") and row[0] != "paper"]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_map_rows_have_three_cells_and_say_where_or_not_yet():
    rows = map_rows()
    assert len(rows) > 30
    for row in rows:
        assert len(row) == 3, row
        for cell in row[1:]:
            assert quoted(cell) or cell == "-", row


@pytest.mark.parametrize("symbol", sorted({s for row in map_rows() for s in quoted(row[1])}))
def test_map_symbol_exists(symbol):
    """A path, or a dotted name below ``saddleback``."""
    if "/" in symbol:
        assert (ROOT / symbol).exists()
        return
    parts = f"saddleback.{symbol}".split(".")
    for k in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for name in parts[k:]:
            # A field of a dataclass without a default is no attribute of its class.
            if name not in getattr(thing, "__dataclass_fields__", {}):
                thing = getattr(thing, name)
        return
    raise AssertionError(symbol)


@pytest.mark.parametrize("name", sorted({s for row in map_rows() for s in quoted(row[2])}))
def test_map_test_exists(name):
    """``path`` or ``path::test``."""
    path, _, function = name.partition("::")
    assert (ROOT / path).is_file()
    if function:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert function in defined
