"""A copy of the project in a temporary folder, in which mutants are tested one after the other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .mutant import Mutant

COPIED = ("src", "tests", "benchmarks", "examples", "pyproject.toml")
"""What tests of formulas read."""
KERNELS = "losses/grouped/kernels"
"""Sources that are compiled to machine code, which is cached."""
COLLECTION_FAILED = "ERROR collecting"
"""What pytest says of a file that it cannot import."""
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Verdict(Enum):
    """What the tests of a mutant said."""

    KILLED = "killed"
    SURVIVED = "survived"
    INVALID = "invalid"
    """The tests say nothing: they fail without the mutation, or pytest could not run them."""


@dataclass(frozen=True)
class Answer:
    """The verdict of one call of pytest, and how it came about."""

    verdict: Verdict
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Workspace:
    """The copy, with a cache of compiled kernels of its own; no bytecode is written, so that none can be stale."""

    root: Path
    python: str = sys.executable

    @staticmethod
    def of(project: Path, folder: Path) -> Workspace:
        """Copy a project to a new folder."""
        for name in COPIED:
            source = project / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy2(source, folder / name)
        return Workspace(folder)

    def tested(self, mutant: Mutant, time_limit: float) -> Answer:
        """The verdict of the mutant's tests; the source is restored in any case."""
        path = self.root / mutant.path
        source = path.read_bytes()
        # Kernels are compiled anew, and not from or for the cache of the others.
        cache = self.root / (".numba-mutant" if mutant.file.startswith(KERNELS) else ".numba")
        try:
            path.write_text(mutant.apply(source.decode("utf-8")), encoding="utf-8")
            return self.run(mutant.tests, time_limit, cache)
        except ValueError as error:
            return Answer(Verdict.INVALID, 0.0, str(error))
        finally:
            path.write_bytes(source)
            if cache.name != ".numba":
                shutil.rmtree(cache, ignore_errors=True)

    def run(self, tests: Sequence[str], time_limit: float, cache: Path | None = None) -> Answer:
        """Call pytest on the copy as it is."""
        environment = os.environ | dict.fromkeys(THREADS, "1")
        environment |= {
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_CACHE_DIR": str(self.root / ".numba" if cache is None else cache),
        }
        command = [self.python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        started = time.perf_counter()
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=time_limit, check=False
            )
        except subprocess.TimeoutExpired:
            return Answer(Verdict.KILLED, time_limit, f"no end within {time_limit:.0f} s")
        seconds = time.perf_counter() - started
        return Answer(*_verdict(done.returncode, done.stdout + done.stderr, seconds))


def _verdict(code: int, output: str, seconds: float) -> tuple[Verdict, float, str]:
    """What pytest's exit code says: 0 all passed, 1 some failed, 2 to 5 it could not run them."""
    lines = output.strip().splitlines()
    failed = next((line for line in lines if line.startswith(("FAILED", "ERROR"))), "")
    if code == 0:
        return Verdict.SURVIVED, seconds, ""
    if code == 1:
        return Verdict.KILLED, seconds, failed
    if code < 0:
        return Verdict.KILLED, seconds, f"the process died by signal {-code}"
    if code in (2, 4) and COLLECTION_FAILED in output:
        # The same tests were collected without the mutation. The code is 4 where a test was asked for by its name.
        return Verdict.KILLED, seconds, failed
    return Verdict.INVALID, seconds, f"pytest ended with exit code {code}: {lines[-1] if lines else ''}"
