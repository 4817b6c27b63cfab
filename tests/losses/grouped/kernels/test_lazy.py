"""Numba is imported when the first kernel is needed, and compiles it once for all processes."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import saddleback as sb

pytestmark = pytest.mark.slow

IMPORT = """
import sys
import saddleback as sb
assert "numba" not in sys.modules, "import saddleback must not wait for a compiler"
early = {"scipy.optimize", "scipy.stats", "sklearn", "pandas", "saddleback.testing"} & set(sys.modules)
assert not early, f"nor for what few calls need: {early}"
sb.minimax(lambda w: ([w @ w, w @ w + w[0]], [2 * w, 2 * w + [1, 0]]), [1.0, 1.0], jac=True)
losses = sb.GroupedLinear([[1.0], [2.0]], [0.0, 1.0], [0, 1], loss="squared", fit_intercept=False)
assert "numba" not in sys.modules, "neither must plain minimax, nor the construction of losses"
losses.values([0.0])
assert "numba" in sys.modules
assert "testing" in dir(sb) and sb.testing.check_losses
"""

CACHED = """
import numpy as np
import saddleback as sb
losses = sb.GroupedLinear([[1.0, 2.0], [2.0, 1.0]], [0.0, 1.0], [0, 1], loss="squared")
losses.evaluate(np.zeros(3))
losses.loss_hessians(np.zeros(3), [0])
sb.GroupedLinear(np.ones((2, 200)), [0.0, 1.0], [0, 1], loss="huber").evaluate(np.zeros(201))
from saddleback.losses.grouped.kernels import arguments, blocks, columns
for kernel in (
    columns.evaluation(arguments.SQUARED), columns.curvature(arguments.SQUARED), blocks.evaluation(arguments.HUBER)
):
    print(sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""


def test_import_leaves_numba_alone():
    subprocess.run([sys.executable, "-c", IMPORT], check=True, timeout=120)


def test_a_second_process_does_not_compile():
    runs = [
        subprocess.run([sys.executable, "-c", CACHED], check=True, timeout=120, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert runs[1].splitlines() == ["1 0"] * 3


def test_kernels_compile_where_nothing_can_be_cached(monkeypatch):
    import numba

    from saddleback.losses.grouped.kernels.compiling import FUSED, kernel

    compile_ = numba.njit

    def without_cache(*args, **options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return compile_(*args, **options)

    monkeypatch.setattr(numba, "njit", without_cache)
    assert kernel(FUSED)(lambda x: x + 1)(1) == 2


def test_few_specializations(tmp_path):
    """Read-only, mapped, pickled and misaligned tables share the machine code of others."""
    from saddleback.losses.grouped.kernels.arguments import HALF_SQUARE, SQUARED
    from saddleback.losses.grouped.kernels.blocks import evaluation

    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((20, 140)), np.arange(20.0), np.arange(20) % 3
    frozen = X.copy()
    frozen.flags.writeable = False
    misaligned = np.frombuffer(b"x" + X.tobytes(), dtype=np.float64, offset=1).reshape(X.shape)
    np.save(tmp_path / "X.npy", X)
    w = rng.standard_normal(140)
    read_only = w.copy()
    read_only.flags.writeable = False

    def losses(X):
        return sb.GroupedLinear(X, y, groups, loss="squared", l2=0.1, fit_intercept=False)

    plain = losses(X)
    G = plain.evaluate(w)[1]
    plain.smoothness()
    kernels = evaluation(SQUARED), evaluation(HALF_SQUARE)
    before = [len(kernel.signatures) for kernel in kernels]
    assert min(before) > 0
    for other in (losses(frozen), losses(misaligned), losses(np.load(tmp_path / "X.npy", mmap_mode="r"))):
        np.testing.assert_array_equal(other.evaluate(read_only)[1], G)
        other.smoothness()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(plain)).evaluate(w)[1], G)
    plain.values(w)
    assert [len(kernel.signatures) for kernel in kernels] == before


def test_narrow_tables_have_few_specializations():
    """With and without offset, intercept and gradient; pickled; one or several threads."""
    from saddleback.losses.grouped.kernels.arguments import POISSON
    from saddleback.losses.grouped.kernels.columns import curvature, evaluation

    X, y, groups = np.random.default_rng(0).standard_normal((900, 3)), np.arange(900) % 5, np.arange(900) % 3
    kernels = evaluation(POISSON), curvature(POISSON)
    before = [len(kernel.signatures) for kernel in kernels]
    for options in ({}, {"offset": y / 5}, {"fit_intercept": False}, {"n_threads": 3}):
        losses = sb.GroupedLinear(X, y, groups, loss="poisson", **options)
        w = np.zeros(losses.n_params)
        for each in (losses, pickle.loads(pickle.dumps(losses))):
            each.evaluate(w)
            each.values(w)
            each.loss_hessians(w, [0, 2])
            each.hessian(w, np.array([0.0, 0.5, 0.5]))
    assert [len(kernel.signatures) - n for kernel, n in zip(kernels, before, strict=True)] in ([1, 1], [0, 0])
