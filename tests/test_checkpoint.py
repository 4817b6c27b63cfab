"""A run that is cut off and taken up again is the same run; files that are no checkpoints are refused, not executed."""

import contextlib
import warnings

import numpy as np
import pytest

import saddleback as sb
from saddleback import keeper

METHODS = ["quasi-newton", "accelerated", "fixed-point", "prox-linear", "apgd", "extragradient", "optimistic"]
CENTERS = np.random.default_rng(5).normal(size=(4, 6))
WEIGHTS = np.linspace(0.5, 8.0, 6)


def quadratics(w):
    offset = w - CENTERS
    return 0.5 * (WEIGHTS * offset**2).sum(1), WEIGHTS * offset


def problem():
    return sb.Problem(sb.from_functions(quadratics, np.zeros(6), jac=True), regularizer=sb.Quadratic(0.5))


def run(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.solve(problem(), **{"w0": np.ones(6), "tol": 1e-12, **options})


@pytest.mark.parametrize("method", METHODS)
def test_resumed_run_equals_uninterrupted_run(method, tmp_path):
    path = tmp_path / "state.npz"
    whole = run(method=method, max_iter=25)
    run(method=method, max_iter=9, checkpoint=path)
    resumed = run(w0=None, method=method, max_iter=25, checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.w, whole.w)
    np.testing.assert_array_equal(resumed.history.value, whole.history.value)
    np.testing.assert_array_equal(resumed.history.gap, whole.history.gap)
    assert resumed.n_iter == whole.n_iter
    assert np.all(np.diff(resumed.history.time) >= 0)


def test_lbfgsb_goes_on_from_its_best_point(tmp_path):
    path = tmp_path / "state.npz"
    first = run(method="lbfgsb", max_iter=3, checkpoint=path)
    resumed = run(method="lbfgsb", max_iter=100, tol=1e-6, checkpoint=path, resume=True)
    assert resumed.history.value[: len(first.history)] == pytest.approx(first.history.value)
    assert resumed.success


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_last_state_is_written_whatever_ends_the_run(error, tmp_path):
    path = tmp_path / "state.npz"
    calls = 0

    def failing(w):
        nonlocal calls
        calls += 1
        if calls == 20:
            raise error
        return quadratics(w)

    losses = sb.from_functions(failing, np.ones(6), jac=True)
    with contextlib.suppress(ZeroDivisionError):
        sb.solve(sb.Problem(losses), np.ones(6), tol=1e-12, checkpoint=path)
    resumed = sb.solve(sb.Problem(losses), tol=1e-12, checkpoint=path, resume=True)
    whole = sb.minimax(quadratics, np.ones(6), jac=True, tol=1e-12)
    assert resumed.success
    np.testing.assert_array_equal(resumed.history.value, whole.history.value)


def test_written_during_the_run_when_due(tmp_path, monkeypatch):
    path = tmp_path / "state.npz"
    monkeypatch.setattr(keeper, "EVERY", 0.0)
    seen = []
    run(max_iter=5, checkpoint=path, callback=lambda progress: seen.append(path.exists()))
    assert seen == [False, True, True, True, True, True]
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.npz"]


def test_converged_checkpoint_needs_no_further_step(tmp_path):
    path = tmp_path / "state.npz"
    first = run(tol=1e-6, checkpoint=path, method="accelerated")
    again = run(tol=1e-6, checkpoint=path, method="accelerated", resume=True)
    assert again.success
    assert again.n_evals == first.n_evals
    tighter = run(tol=1e-11, checkpoint=path, method="accelerated", resume=True)
    assert tighter.gap <= 1e-11 * abs(tighter.value) < first.gap


def test_metric_run_resumes(tmp_path):
    path = tmp_path / "state.npz"
    losses = sb.from_functions(quadratics, np.zeros(6), jac=True)
    weighted = sb.Problem(losses, metric=WEIGHTS)
    with pytest.warns(sb.ConvergenceWarning):
        sb.solve(weighted, np.ones(6), tol=1e-12, max_iter=1, checkpoint=path)
    resumed = sb.solve(weighted, tol=1e-10, checkpoint=path, resume=True)
    assert resumed.value == pytest.approx(sb.solve(weighted, np.ones(6), tol=1e-10).value, abs=1e-10)


def test_missing_file_starts_a_new_run(tmp_path):
    assert run(tol=1e-8, checkpoint=tmp_path / "new.npz", resume=True).success


class Exploit:
    def __reduce__(self):
        return print, ("executed",)


def test_file_with_objects_is_refused_and_not_executed(tmp_path, capsys):
    path = tmp_path / "state.npz"
    np.savez(path, **{"header.method": np.array([Exploit()], dtype=object)})
    with pytest.raises(sb.ProblemError, match="not a checkpoint"):
        run(checkpoint=path, resume=True)
    assert "executed" not in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"no archive at all"])
def test_broken_file_is_refused(content, tmp_path):
    path = tmp_path / "state.npz"
    path.write_bytes(content)
    with pytest.raises(sb.ProblemError, match="not a checkpoint"):
        run(checkpoint=path, resume=True)


def test_truncated_checkpoint_is_refused(tmp_path):
    path = tmp_path / "state.npz"
    run(max_iter=3, checkpoint=path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(sb.ProblemError, match="not a checkpoint"):
        run(checkpoint=path, resume=True)


def test_checkpoint_of_another_method_or_problem_is_refused(tmp_path):
    path = tmp_path / "state.npz"
    run(method="prox-linear", max_iter=3, checkpoint=path)
    with pytest.raises(sb.ProblemError, match="checkpoint"):
        run(method="accelerated", checkpoint=path, resume=True)
    run(max_iter=3, checkpoint=path)
    other = sb.Problem(sb.from_functions(lambda w: ([w @ w], [2 * w]), np.ones(2), jac=True))
    with pytest.raises(sb.ProblemError, match="another run"):
        sb.solve(other, checkpoint=path, resume=True)


def test_bad_arguments_are_refused_before_any_evaluation(tmp_path):
    def never(w):
        raise AssertionError("evaluated")

    losses = type("Never", (), {"n_losses": 2, "n_params": 2, "evaluate": staticmethod(never)})()
    with pytest.raises(sb.ProblemError, match="resume=True needs checkpoint"):
        sb.solve(sb.Problem(losses), resume=True)
    with pytest.raises(sb.ProblemError, match="no directory"):
        sb.solve(sb.Problem(losses), checkpoint=tmp_path / "missing" / "state.npz")


def moved(w):
    f, G = quadratics(w - 3.0)
    return f, G


@pytest.mark.parametrize("change", ["losses", "regularizer", "metric"])
def test_checkpoint_of_another_problem_of_the_same_size_is_refused(change, tmp_path):
    """Its certificate is about other losses: taken over, it would be false."""
    path = tmp_path / "state.npz"
    run(tol=1e-6, checkpoint=path)
    losses = sb.from_functions(moved if change == "losses" else quadratics, np.zeros(6), jac=True)
    other = sb.Problem(
        losses,
        regularizer=sb.Quadratic(50.0 if change == "regularizer" else 0.5),
        metric=2.0 if change == "metric" else None,
    )
    with pytest.raises(sb.ProblemError, match=r"of another (problem|metric)"):
        sb.solve(other, checkpoint=path, resume=True)


def test_directory_is_refused(tmp_path):
    with pytest.raises(sb.ProblemError, match="must be a file"):
        run(checkpoint=tmp_path)


def test_result_survives_a_checkpoint_that_cannot_be_written(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()

    def remove(progress):
        if folder.exists():
            folder.rmdir()

    with pytest.warns(UserWarning, match="the last checkpoint was not written"):
        result = run(tol=1e-6, checkpoint=folder / "state.npz", callback=remove)
    assert result.success


@pytest.mark.parametrize("options", [{"checkpoint": 3}, {"checkpoint": "no/such/place"}, {"resume": True}])
def test_checkpoints_are_refused_before_fun_is_called(options):
    def never(w):
        raise AssertionError("evaluated")

    with pytest.raises(sb.ProblemError, match="checkpoint"):
        sb.minimax(never, [1.0], jac=True, **options)


@pytest.mark.parametrize("method", ["quasi-newton", "newton"])
@pytest.mark.parametrize("d", [20, 200])
def test_second_order_runs_go_on_with_their_memory(tmp_path, method, d):
    """Limited memory, the span of the sampled Hessian and the state of the guard come back as they were."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(16_000, d)) * np.logspace(0, -2, d)
    losses = sb.GroupedLinear(X, rng.integers(0, 2, 16_000), np.arange(16_000) % 3, l2=1e-3, fit_intercept=False)
    path = tmp_path / "state.npz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        straight = sb.solve(sb.Problem(losses), method=method, tol=0.0, max_iter=8)
        sb.solve(sb.Problem(losses), method=method, tol=0.0, max_iter=4, checkpoint=path)
        resumed = sb.solve(sb.Problem(losses), method=method, tol=0.0, max_iter=8, checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.history.value, straight.history.value)
    np.testing.assert_array_equal(resumed.w, straight.w)
