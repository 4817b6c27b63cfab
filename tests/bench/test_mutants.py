"""The list of mutants, and a run of it on a project of three lines."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from benchmarks.mutants.areas import AREAS
from benchmarks.mutants.mutant import Mutant
from benchmarks.mutants.run import main
from benchmarks.mutants.tally import LEAST_KILLED, Result, Tally
from benchmarks.mutants.workspace import Answer, Verdict, Workspace

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = [mutant for mutants in AREAS.values() for mutant in mutants]


# --- the list ---------------------------------------------------------------------------------------------------------


def test_there_are_many_and_names_are_unique():
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) >= 100
    assert len(set(names)) == len(names)
    # No name is that of an area, so that both can be asked for.
    assert not set(names) & set(AREAS)


@cache
def source_of(path: Path) -> tuple[str, str]:
    """A file of the package, and what it means: its syntax tree."""
    source = (ROOT / path).read_text(encoding="utf-8")
    return source, ast.dump(ast.parse(source))


@pytest.mark.parametrize("area", AREAS)
def test_every_mutant_changes_one_place_to_something_that_parses(area):
    for mutant in AREAS[area]:
        source, meaning = source_of(mutant.path)
        assert ast.dump(ast.parse(mutant.apply(source))) != meaning, mutant.name
        assert mutant.why, mutant.name


@pytest.mark.parametrize("area", AREAS)
def test_the_tests_of_every_mutant_exist(area):
    for test in {test for mutant in AREAS[area] for test in mutant.tests}:
        file, *names = test.split("::")
        path = ROOT / file
        assert path.exists(), test
        for name in names:
            bare = re.escape(name.partition("[")[0])
            assert re.search(rf"^\s*(def|class) {bare}\b", path.read_text(encoding="utf-8"), re.MULTILINE), test


def test_few_are_expected_to_survive():
    survivors = [mutant for mutant in MUTANTS if mutant.survives]
    assert len(survivors) <= (1.0 - LEAST_KILLED) * len(MUTANTS)


# --- the verdict of a run ---------------------------------------------------------------------------------------------

OLD = Mutant("one", "a.py", "old", "new", ("tests",), "why")


@pytest.mark.parametrize(
    ("verdict", "survives", "kept", "told"),
    [
        (Verdict.KILLED, "", True, []),
        (Verdict.SURVIVED, "only speed", True, ["survived: last: only speed"]),
        (Verdict.SURVIVED, "", False, ["SURVIVED WITHOUT A REASON: last: why"]),
        (Verdict.INVALID, "", False, ["INVALID: last: a note"]),
        (Verdict.KILLED, "only speed", True, ["killed, so that its reason to survive is obsolete: last"]),
    ],
)
def test_a_run_is_kept_where_enough_are_killed_and_the_others_explained(verdict, survives, kept, told):
    tally = Tally([Result("area", OLD, Answer(Verdict.KILLED, 0.0)) for _ in range(19)])
    last = Mutant("last", "a.py", "old", "new", ("tests",), "why", survives)
    tally.results.append(Result("area", last, Answer(verdict, 0.0, "a note")))
    assert (tally.kept, tally.remarks()) == (kept, told)
    if verdict is Verdict.SURVIVED:
        # One more is too many, explained or not.
        tally.results.append(tally.results[-1])
        assert not tally.kept


def test_a_text_that_is_not_there_once_is_refused():
    assert OLD.apply("an old text") == "an new text"
    for source in ("nothing", "old and old"):
        with pytest.raises(ValueError, match="must occur once"):
            OLD.apply(source)


# --- a run ------------------------------------------------------------------------------------------------------------

FORMULA = "def square(x):\n    return x * x\n\n\ndef half(x):\n    return x / 2\n"
TESTS = """\
import time

from saddleback.formula import half, square


def test_square():
    assert square(3) == 9


def test_of_the_half_way_point():
    started = time.monotonic()
    while half(2) != 1:
        assert time.monotonic() < started + 60


def test_that_fails():
    assert square(3) == 8
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of three tests, one of which loops where `half` is wrong, and one of which fails."""
    for name, text in (("src/saddleback/__init__.py", ""), ("src/saddleback/formula.py", FORMULA)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    # The plugins of other packages take a second to import.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_formula.py").write_text(TESTS)
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    return tmp_path


@pytest.mark.slow
def test_killed_survived_and_invalid(project, capsys):
    def mutant(name: str, new: str, test: str, survives: str = "") -> Mutant:
        return Mutant(name, "formula.py", "x * x", new, (f"tests/test_formula.py{test}",), "x^2", survives)

    areas = {
        "squares": (
            mutant("a sum", "x + x", "::test_square"),
            mutant("the same", "x**2", "::test_square", "another way to write it"),
            mutant("no import", "x * x\n\n\nraise RuntimeError", "::test_square"),
        ),
        "failing": (mutant("before", "x + x", "::test_that_fails"),),
    }
    assert main(["--workers", "1"], project, areas) == 1
    lines = capsys.readouterr().out.splitlines()
    verdicts = {line.split(": ", 1)[1].split("  ")[0]: line.split()[0] for line in lines[:4]}
    assert verdicts == {
        "a sum": "killed",
        "the same": "survived",
        "no import": "killed",
        "before": "invalid",
    }
    assert "| squares | 3 | 2 | 1 |" in lines
    assert "survived: the same: another way to write it" in lines
    assert (project / "src/saddleback/formula.py").read_text() == FORMULA


@pytest.mark.slow
def test_what_does_not_end_is_killed_and_the_source_restored(project, tmp_path_factory):
    workspace = Workspace.of(project, tmp_path_factory.mktemp("copy"))
    endless = Mutant("x", "formula.py", "x / 2", "x", ("tests/test_formula.py::test_of_the_half_way_point",), "x/2")
    answer = workspace.tested(endless, time_limit=2.0)
    assert (answer.verdict, answer.note) == (Verdict.KILLED, "no end within 2 s")
    assert (workspace.root / endless.path).read_text() == FORMULA


def test_names_choose_and_unknown_ones_are_refused(project, capsys):
    areas = {"first": (OLD,), "second": (Mutant("two", "a.py", "old", "new", ("tests",), "another"),)}
    assert main(["--list", "second"], project, areas) == 0
    assert capsys.readouterr().out == "second: two: another\n"
    assert main(["--list", "third"], project, areas) == 2
    assert "No area or mutant is called third" in capsys.readouterr().out


def test_processes_of_a_run_use_this_python(project):
    assert Workspace(project).python == sys.executable
