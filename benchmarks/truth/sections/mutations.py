"""Damaged and hostile checkpoints: refused with a ProblemError that names the file, in little memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import saddleback as sb

from ..memory import Peak
from ..problems.kept_runs import KeptRun, draw_run
from ..problems.mutations import MUTATIONS
from ..section import Section
from ..tally import Outcome, Share

# Damaged files per checkpoint.
FILES = 100
TIMES, BYTES = 4, 50_000_000
FORGED = "forged with a valid checksum"

RAW = "exceptions other than the library's own"
MEMORY = "memory beyond four times the file plus 50 MB"
CHANGED = "damaged files that were accepted"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One checkpoint and a hundred damaged files derived from it."""
    run = draw_run(rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ckpt"
        run.solve(path, max_iter=int(rng.integers(0, 8)))
        raw = path.read_bytes()
        # Import and compile before memory is measured.
        run.solve(path, max_iter=0, resume=True)
        return [_try(rng, run, path, raw) for _ in range(FILES)]


def _try(rng: np.random.Generator, run: KeptRun, path: Path, raw: bytes) -> Outcome:
    kinds = list(MUTATIONS)
    kind = str(rng.choice(kinds, p=[MUTATIONS[name][1] for name in kinds]))
    changed = MUTATIONS[kind][0](rng, raw)
    path.write_bytes(changed)
    peak = Peak()
    raised, note = False, f"{run.method.name}, {len(changed)} bytes"
    try:
        # Zero iterations: nothing is guaranteed about steps from a forged state.
        run.solve(path, max_iter=0, resume=True)
        ending = "unchanged" if changed == raw else "accepted"
    except sb.ProblemError as error:
        ending = "refused"
        raised = str(path) not in str(error)
    except Exception as error:
        ending, raised, note = type(error).__name__, True, f"{note}: {type(error).__name__}: {error}"
    memory = peak.beyond()
    counts = {RAW: raised, MEMORY: memory > TIMES * len(changed) + BYTES}
    if kind != FORGED:
        counts[CHANGED] = ending == "accepted"
    return Outcome(counts, kind, ending, f"{note}, {memory} bytes of memory")


ABOUT = """\
Checkpoints of all methods with bits flipped, bytes cut off, added, overwritten or moved, headers of another length or
with other entries, contents forged under a valid checksum, zip bombs, nested lists, a great many names, and random
files. Each is resumed: a ProblemError that names the file is the only exception allowed, and the peak memory of the
process may grow by at most four times the file and 50 MB. A damaged file may be accepted only if the damage is in the
blanks of its header; a forged one may be accepted, because a checksum is not a signature.
"""

SECTION = Section(
    name="mutations",
    title="Damaged checkpoints",
    about=ABOUT,
    judge=judge,
    limits=(Share(RAW), Share(MEMORY), Share(CHANGED, None)),
    sizes={"small": 5, "full": 1000},
)
