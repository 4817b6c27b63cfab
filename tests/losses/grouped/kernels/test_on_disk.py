"""Kernels are kept on disk, and found there by the next process."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
import saddleback as sb

X = np.random.default_rng(0).standard_normal((60, 3))
losses = sb.GroupedLinear(X, X[:, 0] > 0, np.arange(60) % 2, n_threads=1)
resamples = losses.resamples(np.full((2, 60), 2))
f, G = losses.evaluate_many(np.zeros((2, 4)))
again, slopes = losses.evaluate_many(np.zeros((2, 4)), resamples=resamples)
print(np.allclose(f, losses.values(np.zeros(4))), np.allclose(f, again), np.allclose(G, slopes))
"""


@pytest.mark.slow
def test_the_next_process_compiles_nothing(tmp_path):
    """The kernels of evaluations at one w, at several and on resamples are one file each, also after a second run."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    kept = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == ["True"] * 3
        kept.append(sorted(path.name for path in tmp_path.rglob("*.nbc")))
        assert ("compiled" in done.stderr) <= (len(kept) == 1)
    assert kept[0] == kept[1]
    assert len(kept[0]) == 3
