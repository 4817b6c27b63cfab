"""Runs one job in its own process, with enforced limits of time and memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saddleback.machine.resources import free_memory

from ..writing import ROOT
from .assignment import Assignment
from .tape import OUT_OF_MEMORY, Run, read_runs

NOT_INSTALLED, MEMORY, FAILED, GARBAGE = "not installed", "memory", "failed", "answer not readable"
# Seconds for imports, reading the data and building a model; large conic programs get more.
GRACE = 60.0
# A job may use this share of the memory that is free when it starts.
SHARE_OF_MEMORY = 0.5
PAUSE = 0.02
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True, eq=False)
class Attempt:
    """The runs that a job returned, and the reason if it did not finish."""

    runs: Sequence[Run] = ()
    reason: str = ""
    seconds: float = 0.0


def launch(
    python: Path, module: str, problem: Path, task: Assignment, runs: int, threads: int | None, grace: float = GRACE
) -> Attempt:
    """Run ``python -m module`` on the problem file; its time limit is ``runs`` budgets plus ``grace``."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.npz"
        complaints = Path(folder) / "complaints.txt"
        started = time.perf_counter()
        with complaints.open("wb") as stream:
            command = [str(python), "-m", module, str(problem), str(answer), repr(time.time())]
            job = subprocess.Popen(command, cwd=ROOT, env=_surroundings(threads), stdout=stream, stderr=stream)
            reason = _watch(job, task.budget, runs * task.budget + grace)
        seconds = time.perf_counter() - started
        if reason == FAILED:
            print(f"{module} failed:\n{complaints.read_text(encoding='utf-8', errors='replace')[-2000:]}", flush=True)
        if not answer.exists():
            return Attempt((), reason or GARBAGE, seconds)
        try:
            return Attempt(read_runs(answer, task.n_params), reason, seconds)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile):
            return Attempt((), reason or GARBAGE, seconds)


def _watch(job: subprocess.Popen[bytes], budget: float, longest: float) -> str:
    """Wait for a job, and kill it at a limit; return the reason, or an empty string."""
    deadline, most = time.monotonic() + longest, SHARE_OF_MEMORY * free_memory()
    reason = ""
    while job.poll() is None:
        if time.monotonic() > deadline:
            reason = over(budget)
        elif _memory_of(job.pid) > most:
            reason = MEMORY
        if reason:
            job.kill()
            job.wait()
            return reason
        time.sleep(PAUSE)
    # The system also kills processes when it runs out of memory.
    if job.returncode in (OUT_OF_MEMORY, -9):
        return MEMORY
    return FAILED if job.returncode else ""


def over(budget: float) -> str:
    return f"over its budget of {budget:g} s"


def _surroundings(threads: int | None) -> dict[str, str]:
    """The same number of threads for every library; None leaves the choice to the library."""
    inherited = {name: value for name, value in os.environ.items() if name not in (*THREADS, "PYTHONPATH")}
    return inherited if threads is None else inherited | dict.fromkeys(THREADS, str(threads))


def _memory_of(pid: int) -> float:
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0.0
    return float(pages) * os.sysconf("SC_PAGE_SIZE")
