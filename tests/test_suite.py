"""The suite itself: its markers name what exists, and tests that start processes are marked slow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from conftest import BLAS, NOT_BLAS

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("test_*.py"))
PROCESSES = {"subprocess", "multiprocessing", "joblib"}


def identify(file: Path) -> str:
    return file.relative_to(HERE).as_posix()


@pytest.mark.parametrize("path", [*BLAS, *NOT_BLAS])
def test_markers_name_what_exists(path):
    assert (HERE / path).exists()


def imported(tree: ast.Module) -> set[str]:
    """The top-level packages that a file imports."""
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in names}


def slow_tests(tree: ast.Module) -> list[str]:
    """The names of the tests that carry ``@pytest.mark.slow``, and "" where the whole file does."""
    found = [""] if any(ast.unparse(node) == "pytestmark = pytest.mark.slow" for node in tree.body) else []
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    marked = (node for node in functions if "pytest.mark.slow" in map(ast.unparse, node.decorator_list))
    return found + [node.name for node in marked]


@pytest.mark.parametrize("file", FILES, ids=identify)
def test_files_that_start_processes_have_slow_tests(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    if imported(tree) & PROCESSES:
        assert slow_tests(tree), f"{identify(file)} imports {imported(tree) & PROCESSES}: mark its tests slow"


def test_most_files_are_tested_every_day():
    """``make test-fast`` leaves out few whole files."""
    whole = [file for file in FILES if "" in slow_tests(ast.parse(file.read_text(encoding="utf-8")))]
    assert 0 < len(whole) <= 0.2 * len(FILES)


PACKAGE = HERE.parent / "src" / "saddleback"
# Folders of tests without a folder of the package: the benchmarks, components from outside the package, references by
# other solvers, wheel and source distribution, theorems of the paper.
OWN = {"bench", "doors", "references", "release", "theory"}


# A folder of tests named as a library would be imported in its place.
RENAMED = {"distributed": "clusters"}


def test_folders_mirror_the_package():
    rooms = {RENAMED.get(folder.name, folder.name) for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    tested = {folder.name for folder in HERE.iterdir() if (folder / "__init__.py").exists()}
    assert tested == rooms | OWN
