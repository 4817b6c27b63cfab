"""The examples run for real, and what they report is true."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import partial
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="module")
def mortgage():
    spec = importlib.util.spec_from_file_location("mortgage", EXAMPLES / "mortgage.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mortgage"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["mortgage"]


@pytest.fixture(scope="module")
def fits(mortgage):
    data = mortgage.load()
    return data, mortgage.fit_average(data), mortgage.fit_worst_group(data)


def test_every_example_is_tested():
    assert [path.name for path in sorted(EXAMPLES.glob("*.py"))] == ["mortgage.py"]


def test_mortgage_runs_as_a_program_without_a_word_on_stderr(tmp_path):
    command = [sys.executable, "-W", "error", str(EXAMPLES / "mortgage.py"), str(tmp_path / "reports")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    report = (tmp_path / "reports" / "mortgage.md").read_text(encoding="utf-8")
    groups, runs = (table for table in report.split("\n\n") if table.startswith("|"))
    assert groups in done.stdout
    assert runs in done.stdout
    assert (tmp_path / "reports" / "mortgage.png").read_bytes().startswith(b"\x89PNG")


def test_mortgage_fails_when_a_run_does_not_converge(mortgage, monkeypatch, tmp_path):
    monkeypatch.setattr(mortgage.sb, "solve", partial(mortgage.sb.solve, max_iter=1))
    with pytest.warns(mortgage.sb.ConvergenceWarning):
        assert mortgage.main(tmp_path) == 1


def test_mortgage_groups_partition_the_applications(fits):
    data, _, _ = fits
    assert (np.sum(list(data.masks.values()), axis=0) == 1).all()
    assert len(data.y) + data.n_dropped == 1989
    assert np.allclose(data.X.mean(axis=0), 0, atol=1e-12)
    assert np.allclose(data.X.std(axis=0), 1)


def test_mortgage_losses_keep_their_promises(mortgage, fits):
    data, _, worst = fits
    losses = mortgage.group_logistic(data, data.race)
    mortgage.sb.losses.check_jacobian(losses, worst.w, rtol=1e-6)
    L, m = losses.smoothness(), losses.strong_convexity
    rng = np.random.default_rng(0)
    for _ in range(20):
        u, v = rng.normal(size=(2, losses.n_params))
        f, G = losses.evaluate(u)
        remainder = losses.values(v) - f - G @ (v - u)
        assert (remainder >= 0.5 * m @ (v - u) ** 2 - 1e-12).all()
        assert (remainder <= 0.5 * L * ((v - u) ** 2).sum() + 1e-12).all()


def test_mortgage_worst_group_is_better_off(mortgage, fits):
    data, average, worst = fits
    before = mortgage.group_losses(data, average.w)
    after = mortgage.group_losses(data, worst.w)
    assert after.max() <= before.max()
    assert worst.value == pytest.approx(after.max(), rel=1e-14)


def test_mortgage_story_of_the_readme(mortgage, fits):
    """The loss of the worst group falls until a second group is as badly off; the first pays for it."""
    data, average, worst = fits
    change = dict(zip(data.masks, worst.losses - mortgage.group_losses(data, average.w), strict=True))
    assert change["black"] < 0 < change["white"]
    black, hispanic = list(data.masks).index("black"), list(data.masks).index("Hispanic")
    assert worst.losses[black] == pytest.approx(worst.losses[hispanic], abs=1e-5)
    assert min(worst.dual[black], worst.dual[hispanic]) > 0.01


def test_mortgage_runs_are_certified(mortgage, fits):
    _, *results = fits
    for result in results:
        assert result.success
        assert 0 <= result.gap <= mortgage.TOL


def test_mortgage_certified_interval_holds_the_optimum_of_another_solver(mortgage, fits):
    data, average, worst = fits
    everybody = [np.ones(len(data.y), dtype=bool)]
    for result, masks in ((average, everybody), (worst, list(data.masks.values()))):
        optimum, w = reference(data, masks, mortgage.L2)
        # Clarabel is accurate to about 1e-8; the ball of the certificate must hold its intercept.
        assert abs(w[-1] - result.w[-1]) <= result.radius
        assert result.lower_bound - 1e-7 <= optimum <= result.value + 1e-7


def reference(data, masks, l2) -> tuple[float, np.ndarray]:
    """The worst-group objective by a conic interior-point method on the epigraph form."""
    w = cp.Variable(data.X.shape[1] + 1)
    margins = cp.multiply(np.where(data.y == 1, 1.0, -1.0), data.X @ w[:-1] + w[-1])
    means = [cp.sum(cp.logistic(-margins[np.flatnonzero(mask)])) / mask.sum() for mask in masks]
    penalty = 0.5 * l2 * cp.sum_squares(w[:-1])
    problem = cp.Problem(cp.Minimize(cp.maximum(*means) + penalty if len(means) > 1 else means[0] + penalty))
    problem.solve(solver=cp.CLARABEL)
    assert problem.status == cp.OPTIMAL
    return float(problem.value), w.value
