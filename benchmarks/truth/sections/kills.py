"""Processes that are killed at random moments: the resumed run gives the same bits."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path

import numpy as np

import saddleback as sb
from saddleback.methods import METHODS

from ..problems.kept_runs import KeptRun, draw_run
from ..section import Section
from ..tally import Outcome, Share

ROOT = Path(__file__).resolve().parents[3]
# Every second run is killed a second time, after it was resumed.
KILLS = (1, 2)
# A process that ends before it is killed is started again, at most this often, and killed sooner: the rest of a run
# that is resumed near its end takes a small part of the time of the whole.
ATTEMPTS = 20
SOONER = 0.7

OTHER = "killed runs with other bits after resuming"
LEFT = "temporary files that remained"
# A resumed run takes other times and repeats evaluations.
NOT_COMPARED = ("n_evals", "n_values", "n_inner", "history.time", "history.n_evals")


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One run, killed once or twice and resumed to its end."""
    method = list(METHODS)[number % len(METHODS)]
    key = int(rng.integers(2**31))
    run = draw_run(np.random.default_rng(key), method)
    whole = run.solve()
    with tempfile.TemporaryDirectory() as folder:
        length = _seconds(run, Path(folder) / "timed.ckpt")
        path = Path(folder) / "kept" / "run.ckpt"
        path.parent.mkdir()
        kills = [_kill(rng, key, method, path, length) for _ in range(KILLS[number % len(KILLS)])]
        resumed = run.solve(path, resume=True)
        left = len(list(path.parent.iterdir())) > 1
    different = [name for name, bits in _bits(whole).items() if _bits(resumed)[name] != bits]
    note = f"killed {', '.join(kills)}; case {key}: {', '.join(different) or 'nothing'} differs"
    return [Outcome({OTHER: bool(different), LEFT: left}, method, " and ".join(kills), note)]


def _seconds(run: KeptRun, path: Path) -> float:
    started = time.perf_counter()
    run.solve(path)
    return time.perf_counter() - started


def _kill(rng: np.random.Generator, key: int, method: str, path: Path, length: float) -> str:
    """Kill one process at a random moment of its run; return whether that was before its first file."""
    command = [sys.executable, "-m", "benchmarks.truth.killed", str(key), method, str(path)]
    for _ in range(ATTEMPTS):
        before = path.read_bytes() if path.exists() else None
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            if child.stdout.readline() != "ready\n":
                raise RuntimeError(f"{' '.join(command)} did not start")
            time.sleep(rng.uniform(0.0, length))
            length *= SOONER
            child.kill()
            ended = "ended" in child.stdout.read()
        if not ended:
            return "in the middle" if path.exists() else "before the first file"
        if before is None:
            path.unlink()
        else:
            path.write_bytes(before)
    raise RuntimeError(f"{' '.join(command)} ended {ATTEMPTS} times before it was killed")


def _bits(result: sb.Result) -> dict[str, bytes]:
    """The fields of a result and of its history, without those that a resumed run may change."""
    parts = {field.name: getattr(result, field.name) for field in fields(result) if field.name != "history"}
    parts |= {f"history.{field.name}": getattr(result.history, field.name) for field in fields(result.history)}
    parts["status"] = result.status.name
    return {name: np.asarray(part).tobytes() for name, part in parts.items() if name not in NOT_COMPARED}


ABOUT = """\
A process that runs any method and writes its checkpoint after every iteration is killed (SIGKILL) at a random moment
between its first and its last iteration; every second one is resumed and killed again. Resumed to the end, the run
must give the same bits as an uninterrupted one: answer, dual, bound, gap, history, status and message. Temporary files
of the killed processes must be removed.
"""

SECTION = Section(
    name="kills",
    title="Processes that are killed",
    about=ABOUT,
    judge=judge,
    limits=(Share(OTHER), Share(LEFT)),
    sizes={"small": 9, "full": 200},
)
