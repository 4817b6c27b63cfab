"""The program as a user runs it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import saddleback

SOURCE = Path(saddleback.__file__).resolve().parents[1]


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
