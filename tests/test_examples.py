"""The examples run for real, and what they report is true."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import subprocess
import sys
from functools import partial
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@contextlib.contextmanager
def example(name):
    """The example as a module, under the name by which the others import it."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[name]


def gallery_arguments():
    spec = importlib.util.spec_from_file_location("gallery_arguments", EXAMPLES.parent / "docs/gallery_arguments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name, *arguments, cwd):
    """The example as a program, which must succeed without a word on stderr; what it prints."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def mortgage():
    with example("mortgage") as module:
        yield module


@pytest.fixture(scope="module")
def fits(mortgage):
    data = mortgage.load()
    return data, mortgage.fit_average(data), mortgage.fit_worst_group(data)


def test_every_example_is_tested():
    assert [path.name for path in sorted(EXAMPLES.glob("*.py"))] == [
        "correct_boosting.py",
        "held_out.py",
        "largest_eigenvalue.py",
        "mortgage.py",
        "on_dask.py",
        "smallest_circle.py",
        "worst_share.py",
    ]


@pytest.mark.parametrize("name", [path.stem for path in sorted(EXAMPLES.glob("*.py"))])
def test_options_are_no_folders(name, tmp_path):
    said = run(name, "--help", cwd=tmp_path)
    assert said.startswith(f"usage: {name}.py [-h]")
    file = {"src_file": str(EXAMPLES / f"{name}.py")}
    assert len(gallery_arguments().give_folder({}, file)) == ("[DIRECTORY]" in said), "what the gallery gives is taken"
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--fast"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 2
    assert "unrecognized arguments: --fast" in done.stderr
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_held_out_runs_as_a_program_without_a_word_on_stderr(tmp_path):
    """The story of the README: a gain for students, none for applicants, and both are told."""
    printed = run("held_out", str(tmp_path / "reports"), cwd=tmp_path)
    report = (tmp_path / "reports" / "held_out.md").read_text(encoding="utf-8")
    students, applicants = printed.split("## ")[1:]
    assert students.strip() in report
    assert "group 'black women', the worst off under the average model, falls by 0.02" in students
    assert "Nothing to gain: the average model is kept." in applicants
    assert (tmp_path / "reports" / "held_out.png").read_bytes().startswith(b"\x89PNG")
    women = next(line for line in students.splitlines() if line.startswith("| black women"))
    change, error = (float(x.strip("()")) for x in women.split("|")[-2].split())
    assert change < -2 * error, "the gain of the README is real on held-out rows"
    for line in applicants.splitlines():
        if line.startswith(("| black", "| white", "| Hispanic", "| all")):
            assert line.endswith("| +0.000 (0.000) |"), "the average model itself is kept in every fold"


def test_held_out_changes_are_paired_differences():
    with example("held_out") as held_out:
        people = held_out.People("two", None, None, np.array(["a", "a", "a", "b", "b"]))
        losses = held_out.pd.DataFrame(
            {"average": [1.0, 2, 3, 4, 5], "worst-group": [2.0, 2, 5, 4, 4], "selected": [1.0, 2, 3, 4, 5]}
        )
        table = held_out.changes(people, losses)
    assert table.index.tolist() == ["a", "b", "all"]
    assert table.loc["a", "worst-group"] == pytest.approx(1.0)
    assert table.loc["a", "worst-group error"] == pytest.approx(1 / np.sqrt(3))
    assert table.loc["b", "worst-group"] == pytest.approx(-0.5)
    assert (table["selected"] == 0.0).all()


def test_mortgage_runs_as_a_program_without_a_word_on_stderr(tmp_path):
    printed = run("mortgage", str(tmp_path / "reports"), cwd=tmp_path)
    report = (tmp_path / "reports" / "mortgage.md").read_text(encoding="utf-8")
    groups, runs = (table for table in report.split("\n\n") if table.startswith("|"))
    assert groups in printed
    assert runs in printed
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


def test_mortgage_story_on_training_rows(mortgage, fits):
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


# --- largest eigenvalues ----------------------------------------------------------------------------------------------


def rows(printed):
    """The cells of a Markdown table, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in printed.splitlines()[2:]]


def test_largest_eigenvalues_are_the_known_ones(tmp_path):
    table = rows(run("largest_eigenvalue", cwd=tmp_path))
    assert len(table) == 5
    for name, value, known, gap, _ in table:
        assert 0 <= float(gap) <= 1e-6, name
        assert float(value) == pytest.approx(float(known), abs=2e-6), name


def test_e_optimal_design_of_the_parabola():
    """Shares 1/5, 3/5, 1/5 at -1, 0, 1: the coefficients of 2 x^2 - 1, at most 1 there, have the sum of squares 5."""
    with example("largest_eigenvalue") as module:
        result = module.e_optimal_design(np.vander([-1.0, -0.5, 0.0, 0.5, 1.0], 3))
    assert result.value == pytest.approx(-0.2, abs=1e-6)
    assert [*result.w, 1 - result.w.sum()] == pytest.approx([0.2, 0, 0.6, 0, 0.2], abs=1e-3)


# --- the worst share --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shares(mortgage):
    with example("worst_share") as module:
        yield module, *module.fit_all(mortgage.load())


def test_worst_share_runs_as_a_program_without_a_word_on_stderr(shares, tmp_path):
    _, losses, _, results = shares
    table = rows(run("worst_share", cwd=tmp_path))
    assert [row[0] for row in table] == list(results)
    assert all(len(row) == losses.n_losses + 3 for row in table)


def test_worst_share_runs_are_certified(shares):
    module, _, _, results = shares
    for result in results.values():
        assert result.success
        assert 0 <= result.gap <= module.TOL


def test_worst_share_goes_from_the_average_to_the_worst_group(shares):
    """A larger set of weights never lowers the objective, and moves from the average to the largest loss."""
    module, _, prior, results = shares
    roads = {word: [r for name, r in results.items() if word in name] for word in ("alpha", "chi2", "KL")}
    average, simplex = roads["alpha"][0], results["simplex"]
    assert average.value == pytest.approx(prior @ average.losses, abs=1e-12)
    for road in roads.values():
        values = [average.value, *(result.value for result in road), simplex.value]
        assert all(later >= earlier - module.TOL for earlier, later in itertools.pairwise(values))
        # No model has a smaller mean loss than the first, nor a smaller largest loss than the last.
        assert all(prior @ result.losses >= average.value - module.TOL for result in road)
        assert all(result.losses.max() >= simplex.value - module.TOL for result in road)


def test_worst_share_is_the_mean_loss_of_the_worst_share(shares):
    _, _, prior, results = shares
    result = results["worst share, alpha = 0.2"]
    order = np.argsort(-result.losses)
    counted = np.diff(np.minimum(prior[order].cumsum(), 0.2), prepend=0.0)
    assert result.value == pytest.approx(counted @ result.losses[order] / 0.2, abs=1e-12)


# --- short ones -------------------------------------------------------------------------------------------------------


def test_smallest_circle_is_held_by_the_towns_farthest_apart(tmp_path):
    printed = run("smallest_circle", str(tmp_path), cwd=tmp_path)
    assert printed.count("gap <= 1e-6: True") == 2
    largest, of_the_quarter = (float(text.split(",")[0]) for text in printed.split("largest distance ")[1:])
    assert largest < of_the_quarter, "the first wish is about the farthest town alone"
    assert int(printed.split("towns with a weight: ")[1]) in (2, 3), "two or three points hold a smallest circle"
    assert (tmp_path / "smallest_circle.png").read_bytes().startswith(b"\x89PNG")


def test_corrected_boosting_helps_its_worst_group_on_held_out_rows(tmp_path):
    printed = run("correct_boosting", cwd=tmp_path)
    assert "of group 'black women', the worst off under your model, falls by" in printed
    women = next(line for line in printed.splitlines() if line.startswith("black women"))
    change, error = (float(x.strip("()")) for x in women.split()[-2:])
    assert change < -2 * error
    # The averages say the same as the groups.
    table = [line.split() for line in printed.splitlines() if line.startswith(("black", "other", "all"))]
    rows, changes = [int(line[-4]) for line in table], [float(line[-2]) for line in table]
    assert sum(rows[:-1]) == rows[-1]
    assert np.average(changes[:-1], weights=rows[:-1]) == pytest.approx(changes[-1], abs=1e-3)


def test_a_model_of_files_on_dask_is_that_of_the_rows_in_memory(tmp_path):
    # Dask tells of slow machines on stderr.
    command = [sys.executable, str(EXAMPLES / "on_dask.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("20,000 rows in 4 partitions on 2 workers")
    assert "the model of the rows in memory: True" in done.stdout
    assert not list(tmp_path.iterdir())
