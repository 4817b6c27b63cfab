"""A run that is interrupted and resumed gives the same bits as one that is not."""

import contextlib
import shutil

import numpy as np
import pytest
from checkpoints import Bowls, assert_same_bits, bowls, problem, quiet_solve, run

import saddleback as sb
from saddleback.methods import METHODS


@pytest.mark.parametrize("method", METHODS)
def test_run_resumed_after_any_iteration_equals_the_uninterrupted_one(method, tmp_path):
    path, kept = tmp_path / "run.ckpt", []

    def copy(progress):
        if path.exists():
            kept.append(shutil.copy(path, tmp_path / f"{progress.n_iter}.ckpt"))

    whole = run(method=method, max_iter=12)
    watched = run(method=method, max_iter=12, checkpoint=path, checkpoint_every=0, callback=copy)
    assert_same_bits(watched, whole)
    assert len(kept) >= 3
    for file in (*kept, path):
        resumed = run(w0=None, method=method, max_iter=12, checkpoint=file, resume=True)
        assert_same_bits(resumed, whole)
        assert np.all(np.diff(resumed.history.time) >= 0)


@pytest.mark.parametrize("method", METHODS)
def test_run_resumed_beyond_its_limit_equals_the_longer_run(method, tmp_path):
    path = tmp_path / "run.ckpt"
    run(method=method, max_iter=5, checkpoint=path)
    resumed = run(method=method, max_iter=12, checkpoint=path, resume=True)
    assert_same_bits(resumed, run(method=method, max_iter=12))


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("when", range(1, 30, 4))
def test_whatever_ends_the_run_in_the_middle_of_a_step_leaves_the_state_before_it(error, when, tmp_path):
    path, calls = tmp_path / "run.ckpt", 0

    def failing(w):
        nonlocal calls
        calls += 1
        if calls == when:
            raise error
        return bowls(w)

    losses = type("Failing", (Bowls,), {"evaluate": staticmethod(failing)})()
    with contextlib.suppress(error):
        quiet_solve(problem(losses=losses), np.ones(6), method="accelerated", tol=1e-12, max_iter=15, checkpoint=path)
    resumed = run(method="accelerated", max_iter=15, checkpoint=path, resume=True)
    assert_same_bits(resumed, run(method="accelerated", max_iter=15))


@pytest.mark.parametrize("method", METHODS)
def test_run_that_a_callback_stops_after_every_iteration_equals_the_whole_one(method, tmp_path):
    path, options, stop = tmp_path / "run.ckpt", {"method": method, "max_iter": 12}, lambda now: True
    result = run(**options, checkpoint=path, callback=stop)
    while result.status is sb.Status.INTERRUPTED:
        result = run(w0=None, **options, checkpoint=path, resume=True, callback=stop)
    assert_same_bits(result, run(**options))


def test_what_a_look_around_has_found_is_not_lost_when_a_callback_stops_the_run(tmp_path):
    """Two columns that are nearly the same: a Hessian probe finds the flat direction, and the run goes on with it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    X[:, -1] = X[:, 0] + 1e-4 * rng.normal(size=120)
    y = X @ rng.normal(size=5) + rng.normal(size=120)
    table = sb.Problem(sb.GroupedLinear(X, y, np.arange(120) % 3, loss="squared", fit_intercept=False))
    path, options, stop = tmp_path / "run.ckpt", {"method": "quasi-newton"}, lambda now: True
    result = quiet_solve(table, **options, checkpoint=path, callback=stop)
    while result.status is sb.Status.INTERRUPTED:
        result = quiet_solve(table, **options, checkpoint=path, resume=True, callback=stop)
    assert_same_bits(result, quiet_solve(table, **options))


def test_callback_that_raises_does_not_put_an_iteration_into_the_history_twice(tmp_path):
    path = tmp_path / "run.ckpt"

    def stumble(progress):
        if progress.n_iter == 4:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(method="prox-linear", max_iter=9, checkpoint=path, callback=stumble)
    resumed = run(method="prox-linear", max_iter=9, checkpoint=path, resume=True)
    assert_same_bits(resumed, run(method="prox-linear", max_iter=9))


def test_memory_of_the_watch_on_convexity_comes_back(tmp_path):
    """Nonconvexity between the points of the two runs shows only with the kept linearizations."""

    def waves(w):
        x = w[0]
        return np.array([np.cos(3 * x) + 0.2 * x * x]), np.array([[-3 * np.sin(3 * x) + 0.4 * x]])

    losses = sb.from_functions(waves, np.array([0.6]), jac=True)
    path, options = tmp_path / "run.ckpt", {"method": "prox-linear", "tol": 1e-10, "max_iter": 40}
    whole = quiet_solve(sb.Problem(losses), np.array([0.6]), **options)
    for stop in range(4):
        quiet_solve(sb.Problem(losses), np.array([0.6]), **{**options, "max_iter": stop}, checkpoint=path)
        assert_same_bits(quiet_solve(sb.Problem(losses), **options, checkpoint=path, resume=True), whole)


def test_written_when_due(tmp_path):
    path, seen = tmp_path / "run.ckpt", []
    look = {"callback": lambda progress: seen.append(path.exists())}
    run(method="accelerated", max_iter=5, checkpoint=path, checkpoint_every=0.0, **look)
    assert seen == [False, True, True, True, True, True]
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.ckpt"]
    path.unlink()
    seen.clear()
    run(method="accelerated", max_iter=5, checkpoint=path, checkpoint_every=1000, **look)
    assert seen == [False] * 6
    assert path.exists()


@pytest.mark.parametrize("every", [-1.0, np.nan, np.inf, "often", None])
def test_bad_interval_is_refused_before_anything_is_evaluated(every, tmp_path):
    def never(w):
        raise AssertionError("evaluated")

    with pytest.raises(sb.ProblemError, match="checkpoint_every must be a"):
        sb.minimax(never, [1.0], jac=True, checkpoint=tmp_path / "run.ckpt", checkpoint_every=every)
    with pytest.raises(sb.ProblemError, match="checkpoint_every must be a"):
        run(checkpoint_every=every)


def test_minimax_passes_the_interval_on(tmp_path):
    path, seen = tmp_path / "run.ckpt", []
    look = {"callback": lambda progress: seen.append(path.exists())}
    sb.minimax(bowls, np.ones(6), jac=True, checkpoint=path, checkpoint_every=0, **look)
    assert seen[1:] == [True] * (len(seen) - 1)


def test_converged_checkpoint_needs_no_further_step(tmp_path):
    path = tmp_path / "run.ckpt"
    first = run(tol=1e-6, checkpoint=path, method="accelerated")
    again = run(tol=1e-6, checkpoint=path, method="accelerated", resume=True)
    assert again.success
    assert_same_bits(again, first)
    tighter = run(tol=1e-11, checkpoint=path, method="accelerated", resume=True)
    assert tighter.gap <= 1e-11 * abs(tighter.value) < first.gap


def test_evaluations_for_the_checkpoint_are_counted(tmp_path):
    """One more beside w0 for a run that is kept; those at its last point, its best and beside w0 to resume it."""
    path, calls = tmp_path / "run.ckpt", 0

    def counted(w):
        nonlocal calls
        calls += 1
        return bowls(w)

    losses = type("Counted", (Bowls,), {"evaluate": staticmethod(counted)})()
    options = {"w0": np.ones(6), "method": "prox-linear", "tol": 1e-3}
    plain = quiet_solve(problem(losses=losses), **options)
    assert calls == plain.n_evals
    calls = 0
    first = quiet_solve(problem(losses=losses), **options, checkpoint=path)
    assert calls == first.n_evals == plain.n_evals + 1
    resumed = quiet_solve(problem(losses=losses), **options, checkpoint=path, resume=True)
    assert calls == resumed.n_evals
    # One at w0 for the units of the parameters.
    assert resumed.n_evals - first.n_evals in (2 + 1, 3 + 1)


def test_bound_is_computed_anew_for_another_radius(tmp_path):
    """A gap for a tiny region does not certify a large one."""
    path, options = tmp_path / "run.ckpt", {"w0": np.ones(6), "method": "prox-linear", "tol": 1e-4}
    plain = problem(losses=sb.from_functions(bowls, np.ones(6), jac=True))
    near = quiet_solve(plain, **options, radius=1e-9, checkpoint=path)
    assert near.success
    far = quiet_solve(plain, **options, radius=10.0, max_iter=near.n_iter, checkpoint=path, resume=True)
    reference = quiet_solve(plain, **options, radius=10.0, max_iter=near.n_iter)
    assert not far.success
    assert far.gap >= reference.gap > 1e-4
    assert quiet_solve(plain, **options, radius=10.0, checkpoint=path, resume=True).gap <= 1e-4


def test_metric_run_resumes(tmp_path):
    path = tmp_path / "run.ckpt"
    weighted = problem(metric=np.linspace(1.0, 5.0, 6))
    whole = quiet_solve(weighted, np.ones(6), tol=1e-10)
    quiet_solve(weighted, np.ones(6), tol=1e-10, max_iter=1, checkpoint=path)
    assert_same_bits(quiet_solve(weighted, tol=1e-10, checkpoint=path, resume=True), whole)


def test_missing_file_starts_a_new_run(tmp_path):
    assert run(tol=1e-8, checkpoint=tmp_path / "new.ckpt", resume=True).success


def test_step_into_undefined_losses_is_not_kept(tmp_path):
    """The checkpoint holds the last state whose losses are numbers, so that it can be resumed."""
    path = tmp_path / "run.ckpt"

    def cliff(w):
        return np.array([w[0] if w[0] > -1 else np.nan]), np.ones((1, 1))

    losses = sb.from_functions(cliff, np.zeros(1), jac=True)
    options = {"method": sb.Extragradient(smoothness=0.1), "max_iter": 5}
    first = quiet_solve(sb.Problem(losses), **options, checkpoint=path)
    assert first.status is sb.Status.NUMERICAL_ERROR
    again = quiet_solve(sb.Problem(losses), **options, checkpoint=path, resume=True)
    assert (again.status, again.value) == (first.status, first.value)


@pytest.mark.parametrize("method", ["quasi-newton", "newton"])
@pytest.mark.parametrize("d", [20, 200])
def test_second_order_runs_go_on_with_their_memory(tmp_path, method, d):
    """Limited memory, the span of the sampled Hessian and the state of the guard are restored."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(16_000, d)) * np.logspace(0, -2, d)
    losses = sb.GroupedLinear(X, rng.integers(0, 2, 16_000), np.arange(16_000) % 3, l2=1e-3, fit_intercept=False)
    path = tmp_path / "run.ckpt"
    straight = quiet_solve(sb.Problem(losses), method=method, tol=0.0, max_iter=8)
    quiet_solve(sb.Problem(losses), method=method, tol=0.0, max_iter=4, checkpoint=path)
    assert_same_bits(
        quiet_solve(sb.Problem(losses), method=method, tol=0.0, max_iter=8, checkpoint=path, resume=True), straight
    )


def test_run_without_time_ends_with_its_start_and_can_be_resumed(tmp_path):
    path = tmp_path / "run.ckpt"
    first = run(time_limit=0.0, checkpoint=path)
    assert first.status is sb.Status.TIME_LIMIT
    assert np.isfinite(first.value)
    if path.exists():
        assert_same_bits(run(checkpoint=path, resume=True), run())


@pytest.mark.parametrize("limit", [0.0, 1e-3])
def test_resumed_run_without_time_ends_with_the_point_of_its_checkpoint(tmp_path, limit):
    path = tmp_path / "run.ckpt"
    first = run(max_iter=3, checkpoint=path)
    resumed = run(checkpoint=path, resume=True, time_limit=limit)
    assert resumed.status is sb.Status.TIME_LIMIT
    assert resumed.value == first.value
    np.testing.assert_array_equal(resumed.w, first.w)
    assert_same_bits(run(checkpoint=path, resume=True), run())
