"""A table that is larger than what a process may have: it is solved there, to the value of the table in memory."""

import json
import resource
import subprocess
import sys

import numpy as np
import pytest

import saddleback as sb

from .samples import RNG

N, D, J = 400_000, 100, 3
LIMIT_BESIDES = 160 * 2**20
"""Bytes that a process may take for data beyond those that it has when it begins to read: half of the table's."""

SOLVE = """
import json, resource, sys
import numpy as np
import saddleback as sb
path, besides = sys.argv[1], int(sys.argv[2])
y, groups = np.load(path + ".y.npy"), np.load(path + ".g.npy")
# Compiled before the limit is set: the compiler takes memory of its own.
sb.GroupedLinear(np.load(path, mmap_mode="r")[:100], y[:100], groups[:100], n_threads=2).evaluate(np.zeros(101))
pages = int(open("/proc/self/statm").read().split()[5])
limit = pages * resource.getpagesize() + besides
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
losses = sb.GroupedLinear(path, y, groups, n_threads=2, l2=0.1)
result = sb.solve(sb.Problem(losses), tol=1e-6)
print(json.dumps([result.value, result.gap]))
try:
    np.load(path)
except MemoryError:
    print("no room")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of data need Linux")
def test_a_table_twice_as_large_as_memory(tmp_path):
    path = tmp_path / "table.npy"
    table = np.lib.format.open_memmap(path, "w+", np.float64, (N, D))
    for first in range(0, N, 50_000):
        table[first : first + 50_000] = RNG.standard_normal((50_000, D))
    assert table.nbytes >= 1.9 * LIMIT_BESIDES
    groups = np.arange(N, dtype=np.int8) % J
    y = (table[:, 0] + 0.5 * groups > 0.3).astype(np.int8)
    np.save(f"{path}.y.npy", y)
    np.save(f"{path}.g.npy", groups)
    run = subprocess.run(
        [sys.executable, "-c", SOLVE, str(path), str(LIMIT_BESIDES)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    lines = run.stdout.splitlines()
    value, gap = json.loads(lines[0])
    assert lines[1] == "no room"
    assert gap <= 1e-6
    expected = sb.solve(sb.Problem(sb.GroupedLinear(table, y, groups, l2=0.1)), tol=1e-6)
    assert value == pytest.approx(expected.value, abs=2e-6)
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY
