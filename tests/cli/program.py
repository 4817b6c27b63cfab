"""The program as a user runs it: in this process, or in one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from threadpoolctl import threadpool_limits

import saddleback
from saddleback.cli import main

SOURCE = Path(saddleback.__file__).resolve().parents[1]


@dataclass(frozen=True)
class Done:
    """What a command has left: its exit status and its outputs."""

    status: int
    out: str
    err: str


def typed(*arguments: object) -> Done:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["saddleback", *map(str, arguments)]
    # Threads of OpenMP wait for each other in busy loops where tests share the cores.
    limits = threadpool_limits(1, user_api="openmp")
    with limits, patch.object(sys, "argv", argv), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            status = end.code
    return Done(status, out.getvalue(), err.getvalue())


def refused(*arguments: object, folder: Path, status: int = 2) -> str:
    """What a command says that must fail: one line on standard error, and the folder is as it was."""
    before = contents(folder)
    done = typed(*arguments, "--quiet")
    assert done.status == status, done
    assert done.out == ""
    assert done.err.startswith("saddleback: ")
    assert len(done.err.splitlines()) == 1, done.err
    assert contents(folder) == before
    return done.err.removeprefix("saddleback: ").rstrip("\n")


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def saddleback_program(
    *arguments: object, blocked: tuple[str, ...] = (), folder: Path | None = None, **options: object
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m saddleback``; imports of the packages in ``blocked`` fail, as where they are not installed.

    The blocker is a ``sitecustomize`` in ``folder``.
    """
    paths = [str(SOURCE)]
    if blocked:
        assert folder is not None
        (folder / "sitecustomize.py").write_text(BLOCKER.format(blocked=blocked), encoding="utf-8")
        paths.insert(0, str(folder))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    env.update(options.pop("env", {}))
    command = [sys.executable, "-m", "saddleback", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=env, **options)


BLOCKER = """
import sys
from importlib.abc import MetaPathFinder


class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Blocker())
"""
