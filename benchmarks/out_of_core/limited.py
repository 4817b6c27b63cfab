"""One solve in a process of its own: ``python -m benchmarks.out_of_core.limited PATH LIMIT TOL METHOD``; prints JSON.

The limit, in bytes of address space as of ``ulimit -v``, is set before NumPy is imported; 0 is none.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from threading import Thread
from time import perf_counter, process_time
from typing import Any

THREADS = 2
READ_BYTES = 1 << 20


def main(path: Path, limit: int, tol: float, method: str) -> dict[str, Any]:
    """Read, solve, read again."""
    if limit:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    import numpy as np

    import saddleback as sb

    y, groups = np.load(path.parent / "y.npy"), np.load(path.parent / "groups.npy")
    plain = _parquet_speed if path.suffix == ".parquet" else _read_speed
    _compile(np, sb, y, groups)
    before = plain(path)
    started, done = perf_counter(), _bytes_read()
    losses = sb.GroupedLinear(path, y, groups, n_threads=THREADS)
    opened = perf_counter()
    result = sb.solve(sb.Problem(losses), tol=tol, method=method)
    seconds, n_bytes = perf_counter() - started, _bytes_read() - done
    return {
        "before": before,
        "after": plain(path),
        "bytes": n_bytes,
        "seconds": seconds,
        "opening": opened - started,
        "evaluation": _seconds(lambda: losses.evaluate(result.w)),
        "reading_work": _work(lambda: plain(path)),
        "evaluation_work": _work(lambda: losses.evaluate(result.w)),
        "many": _seconds(lambda: losses.evaluate_many([result.w] * 8)),
        "hessian": _seconds(lambda: losses.hessian(result.w, result.dual), 1),
        "size": path.stat().st_size,
        "value": result.value,
        "gap": result.gap,
        "status": result.status.name,
        "method": result.method,
        "message": str(result),
        "values": losses.values(result.w).tolist(),
        "w": result.w.tolist(),
        "address_space": _peak("VmPeak"),
        "resident": _peak("VmHWM"),
    }


def _compile(np: Any, sb: Any, y: Any, groups: Any) -> None:
    """Have the kernels compiled, or loaded, by a table of a few rows: this is no part of a pass."""
    n, path = 1000, Path(sys.argv[1]).with_name("few.npy")
    np.save(path, np.random.default_rng(0).standard_normal((n, 100)))
    few = sb.GroupedLinear(path, y[:n], groups[:n], n_threads=THREADS)
    few.evaluate(np.zeros(few.n_params))
    few.values(np.zeros(few.n_params))
    few.evaluate_many(np.zeros((8, few.n_params)))
    path.unlink()


def _read_speed(path: Path) -> float:
    """Bytes per second of threads that read a file into a megabyte each, again and again."""
    size = path.stat().st_size
    share = size // THREADS

    def read(first: int) -> None:
        room = bytearray(READ_BYTES)
        with open(path, "rb", buffering=0) as file:
            file.seek(first)
            left = share
            while left > 0:
                left -= file.readinto(room) or left

    started = perf_counter()
    threads = [Thread(target=read, args=(k * share,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return size / (perf_counter() - started)


def _parquet_speed(path: Path) -> float:
    """Bytes of numbers per second of Arrow's own loop, in as many threads as it likes."""
    import pyarrow.parquet as pq

    started, n_bytes = perf_counter(), 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(1 << 16):
            n_bytes += batch.nbytes
    return n_bytes / (perf_counter() - started)


def _seconds(work: Any, repeats: int = 3) -> float:
    """The median of some runs."""
    seconds = []
    for _ in range(repeats):
        started = perf_counter()
        work()
        seconds.append(perf_counter() - started)
    return sorted(seconds)[len(seconds) // 2]


def _work(work: Any) -> float:
    """Seconds of all processors, which a busy machine changes least."""
    started = process_time()
    work()
    return process_time() - started


def _bytes_read() -> int:
    """By this process, from files in the system's cache or not."""
    return int(Path("/proc/self/io").read_text().splitlines()[0].split()[1])


def _peak(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])))
