"""Problems solved on partitions have the optimum of the table in memory."""

import numpy as np
import pytest

import saddleback as sb

from .tables import lazy, table

LENGTHS = (70, 0, 1, 99, 31)


def solve(at, loss="logistic", **options):
    X, y, groups = table(loss)
    return sb.solve(sb.Problem(sb.GroupedLinear(at(X), at(y), at(groups), loss=loss, l2=1e-2)), tol=1e-9, **options)


@pytest.mark.parametrize("loss", ["logistic", "squared", "softmax"])
@pytest.mark.parametrize("method", ["auto", "quasi-newton"])
def test_the_optimum_is_the_same(method, loss):
    known, result = solve(np.asarray, loss, method=method), solve(lazy, loss, method=method)
    assert result.certified
    assert result.gap <= 1e-9
    assert abs(result.value - known.value) <= 1e-9
    np.testing.assert_allclose(result.losses, known.losses, atol=1e-6)


def test_a_run_in_memory_ends_at_the_same_value():
    """Runs to the end of double precision agree to 1e-10."""
    known, result = (
        sb.solve(sb.Problem(sb.GroupedLinear(at(X), at(y), at(groups), l2=1e-2)), tol=1e-11, method="newton")
        for X, y, groups in [table()]
        for at in (np.asarray, lazy)
    )
    assert abs(result.value - known.value) <= 1e-10 * abs(known.value)
    np.testing.assert_allclose(result.w, known.w, atol=1e-7)


def test_runs_have_the_same_bits_on_workers(cluster):
    known = solve(lazy)
    for n_workers in (1, 3):
        cluster(n_workers)
        result = solve(lazy)
        assert result.w.tobytes() == known.w.tobytes()
        assert result.dual.tobytes() == known.dual.tobytes()
        assert (result.value, result.lower_bound) == (known.value, known.lower_bound)


def test_a_time_limit_ends_a_run_on_workers(client):
    X, y, groups = table()
    losses = sb.GroupedLinear(lazy(X), lazy(y), lazy(groups))
    with pytest.warns(sb.ConvergenceWarning):
        result = sb.solve(sb.Problem(losses), tol=1e-300, time_limit=1e-3, max_iter=10**6)
    assert result.status is sb.Status.TIME_LIMIT


def test_a_checkpoint_of_a_cluster_is_resumed_in_this_process(cluster, tmp_path):
    """Partitions decide on the bits, not where they are."""
    known = solve(lazy, method="quasi-newton")
    client = cluster(2)
    with pytest.warns(sb.ConvergenceWarning):
        solve(lazy, method="quasi-newton", max_iter=3, checkpoint=tmp_path / "run")
    client.close()
    result = solve(lazy, method="quasi-newton", checkpoint=tmp_path / "run", resume=True)
    assert result.w.tobytes() == known.w.tobytes()
    assert result.n_iter == known.n_iter
