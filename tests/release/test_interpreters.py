"""Which Pythons ``make dist`` finds: real programs that answer with their version, made for the test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .contents import NEEDED_CLASSIFIERS
from .interpreters import SUPPORTED, answers, find_interpreters, patch_number, pyenv_root

pytestmark = pytest.mark.slow


def program(path: Path, text: str, status: int = 0) -> Path:
    """A program that prints a text, as an interpreter that is asked for its version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {text}\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """An empty folder as PATH, and no pyenv."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    return tmp_path


def test_supported_versions_are_those_of_the_metadata():
    named = [name.rpartition(" ")[2] for name in NEEDED_CLASSIFIERS if name.startswith("Programming Language")]
    assert named == list(SUPPORTED)


def test_this_interpreter_answers():
    assert answers(Path(sys.executable), ".".join(map(str, sys.version_info[:2])))
    assert not answers(Path(sys.executable), "2.7")


def test_nothing_is_found_on_an_empty_machine(machine):
    assert find_interpreters() == {}
    assert pyenv_root() is None


def test_path_comes_first_and_shims_without_a_version_are_passed_over(machine, monkeypatch):
    on_path = program(machine / "bin" / "python3.11", "3.11")
    program(machine / "bin" / "python3.12", "3.12", status=127)
    monkeypatch.setenv("PYENV_ROOT", str(machine / "pyenv"))
    program(machine / "pyenv/versions/3.11.9/bin/python", "3.11")
    program(machine / "pyenv/versions/3.12.9/bin/python", "3.12")
    newest = program(machine / "pyenv/versions/3.12.10/bin/python", "3.12")
    assert find_interpreters() == {"3.11": on_path, "3.12": newest}


def test_python3_counts_where_it_is_the_version(machine):
    plain = program(machine / "bin" / "python3", "3.13")
    assert find_interpreters() == {"3.13": plain}


def test_pyenv_says_where_it_is(machine):
    program(machine / "bin" / "pyenv", str(machine / "versions of mine"))
    assert pyenv_root() == machine / "versions of mine"


def test_patch_numbers():
    assert [patch_number(Path(name)) for name in ("3.12.9", "3.12.10", "3.13-dev")] == [9, 10, -1]
