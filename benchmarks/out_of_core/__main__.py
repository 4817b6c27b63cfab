"""`python -m benchmarks.out_of_core`: tables larger than a process may be."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .tables import write_table

TOL = 1e-4
LIMIT = 2 * 2**30
DEMANDED_SHARE, DEMANDED_AGREEMENT = 0.7, 1e-10
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "2", "NUMBA_NUM_THREADS": "2"}
"""Threads reserve address space: one for BLAS, whose products run side by side, and two for the kernels."""

SYSTEM_POOL = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
"""Arrow's own pools reserve a gigabyte of address space, and the system's 64 MB for each of eight threads per core."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.out_of_core", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=12.0, help="of the .npy file; 0 leaves it out")
    parser.add_argument("--parquet-gigabytes", type=float, default=1.0, help="of the Parquet file; 0 leaves it out")
    parser.add_argument("--method", default="auto", help="of the solve")
    parser.add_argument("--folder", type=Path, default=None, help="for the files, which are deleted afterwards")
    asked = parser.parse_args()
    for kind, gigabytes in (("npy", asked.gigabytes), ("parquet", asked.parquet_gigabytes)):
        if gigabytes:
            with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
                report(write_table(Path(folder), gigabytes, kind), asked.method)


def report(path: Path, method: str) -> None:
    """Solve a table with and without a limit, and print what was measured."""
    own = _run("limited", [str(path), str(LIMIT), str(TOL), method])
    other = _run("unlimited", [str(path), str(TOL)], json.dumps(own["w"]))
    size, n_bytes = own["size"], own["bytes"]
    reading = (own["before"] + own["after"]) / 2.0
    # Parquet's bytes are counted as numbers, of which the files hold little more.
    whole = n_bytes / own["seconds"]
    print(f"{path.suffix} of {size / 1e9:.1f} GB in {LIMIT / 2**30:.0f} GB of address space: {own['message']}")
    print(f"  reading alone: {own['before'] / 1e9:.2f} GB/s before, {own['after'] / 1e9:.2f} after")
    print(f"  whole solve: {n_bytes / size:.0f} reads in {own['seconds']:.1f} s, {whole / 1e9:.2f} GB/s")
    for what in ("opening", "evaluation", "many", "hessian"):
        print(f"  {what}: {own[what]:.2f} s, {size / own[what] / 1e9:.2f} GB/s")
    work = own["reading_work"] / size * 1e12, own["evaluation_work"] / size * 1e12
    print(f"  processor time per GB: {work[0]:.0f} ms for reading alone, {work[1]:.0f} ms for an evaluation")
    print(f"  peak of address space {own['address_space'] / 2**30:.2f} GB, of memory {own['resident'] / 2**30:.2f} GB")
    apart = max(abs(a - b) for a, b in zip(own["values"], other["values"], strict=True))
    print(f"  values of losses at w: {apart:.1e} from those without a limit")
    print(f"  solved without a limit: value {other['value']:.10f} (gap {other['gap']:.1e}); here {own['value']:.10f}")
    _judge("gap", own["gap"], f"at most {TOL:g}", own["gap"] <= TOL)
    share = whole / reading
    bound = f"at least {DEMANDED_SHARE}"
    _judge("share of the speed of reading, whole solve", share, bound, share >= DEMANDED_SHARE)
    share = size / own["evaluation"] / reading
    _judge("share of the speed of reading, evaluations", share, bound, share >= DEMANDED_SHARE)
    _judge("agreement of values", apart, f"at most {DEMANDED_AGREEMENT:g}", apart <= DEMANDED_AGREEMENT)


def _run(module: str, arguments: list[str], text: str = "") -> dict[str, Any]:
    command = [sys.executable, "-m", f"benchmarks.out_of_core.{module}", *arguments]
    done = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **THREADS, **SYSTEM_POOL}
    )
    return dict(json.loads(done.stdout))


def _judge(what: str, measured: float, bound: str, met: bool) -> None:
    print(f"  {'PASS' if met else 'miss'}: {what}: {measured:.3g} ({bound})")


if __name__ == "__main__":
    main()
