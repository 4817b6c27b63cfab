"""After a run nothing keeps the losses, and with them the user's table, in memory."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import saddleback as sb


@pytest.mark.parametrize("method", ["newton", "quasi-newton", "accelerated", "auto"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_losses_are_free_without_a_garbage_collection(method, dtype):
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((200, 3)).astype(dtype), rng.integers(0, 2, 200), rng.integers(0, 3, 200)
    gc.collect()
    gc.disable()
    try:
        losses = sb.GroupedLinear(X, y, groups, l2=0.1)
        result = sb.solve(sb.Problem(losses), method=method)
        known = weakref.ref(losses)
        del losses
        assert known() is None
    finally:
        gc.enable()
    assert result.success
