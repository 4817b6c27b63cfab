"""The benchmark compares solvers on the same problem, and its report is made of what was measured."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import saddleback as sb
from benchmarks import render, run, threads, writing
from benchmarks.contestants import conic, epigraph, one_group, selection
from benchmarks.contestants.ours import by, ours
from benchmarks.contestants.smooth import lbfgsb
from benchmarks.race import Contestant, forgetful, race, run_once
from benchmarks.real_tables import grouped_table, loan_table, look_alikes
from benchmarks.recorder import Enough, Recorder, Trajectory
from benchmarks.report import Demand, Figure, Options, Report, Table, gap_curves
from benchmarks.sections import SECTIONS, published_optima
from benchmarks.synthetic import conditioned_data, paper_data

ROOT = Path(__file__).resolve().parents[2]

# Rounding of sums of a few hundred terms of size one.
EXACT = 1e-12
# Clarabel's own tolerance is 1e-8.
CONIC = 1e-6


@pytest.fixture(scope="module", params=[False, True], ids=["without intercept", "with intercept"])
def data(request):
    table = look_alikes({"table": (240, 6, 3)})["table"]
    return type(table)(table.X, table.y, table.groups, table.l2, request.param)


# --- the same problem for everybody -----------------------------------------------------------------------------------


def test_natural_oracle_is_grouped_linear(data):
    fused, natural = data.fused(), data.natural()
    rng = np.random.default_rng(0)
    for _ in range(5):
        w = rng.normal(size=fused.n_params)
        for ours_, theirs in zip(fused.evaluate(w), natural.evaluate(w), strict=True):
            np.testing.assert_allclose(theirs, ours_, rtol=0, atol=EXACT)
        np.testing.assert_allclose(natural.values(w), fused.values(w), rtol=0, atol=EXACT)
        lam = rng.dirichlet(np.ones(fused.n_losses))
        np.testing.assert_allclose(natural.hessian(w, lam), fused.hessian(w, lam), rtol=0, atol=EXACT)


def test_natural_oracle_in_single_precision():
    data = paper_data(30, 3, 50, 0, np.float32)
    w = np.random.default_rng(0).normal(size=30)
    for ours_, theirs in zip(data.fused().evaluate(w), data.natural().evaluate(w), strict=True):
        np.testing.assert_allclose(theirs, ours_, rtol=0, atol=1e-5)


def test_natural_oracle_wants_sorted_groups():
    data = conditioned_data(60, 3, 2, 1.0, 0.0)
    with pytest.raises(AssertionError, match="sorted"):
        type(data)(data.X, data.y, data.groups[::-1].copy() % 2 ^ np.arange(60) % 2).natural()


@pytest.mark.parametrize("gamma", [0.0, 0.1])
def test_conic_model_has_the_optimum_of_grouped_linear(data, gamma):
    problem = sb.Problem(data.fused(), regularizer=sb.Quadratic(gamma))
    ours_ = sb.solve(problem, tol=1e-10)
    theirs = conic.solve_conic(data.natural(), gamma)
    assert problem.value(theirs.w) == pytest.approx(ours_.value, abs=CONIC)
    assert problem.value(theirs.w) >= ours_.lower_bound - EXACT
    assert 0 < theirs.solver_seconds <= theirs.seconds


def test_epigraph_constraints_and_derivatives(data):
    losses = data.natural()
    form = epigraph.Epigraph(losses)
    rng = np.random.default_rng(1)
    x, v = rng.normal(size=losses.n_params + 1), rng.normal(size=losses.n_losses)
    np.testing.assert_allclose(form.constraints(x), x[-1] - losses.values(x[:-1]), atol=EXACT)
    h = 1e-6
    steps = h * np.eye(x.size)
    slopes = np.array([(form.constraints(x + s) - form.constraints(x - s)) / (2 * h) for s in steps]).T
    np.testing.assert_allclose(form.jacobian(x), slopes, atol=1e-8)
    bends = np.array([(v @ form.jacobian(x + s) - v @ form.jacobian(x - s)) / (2 * h) for s in steps])
    np.testing.assert_allclose(form.hessian(x, v), bends, atol=1e-8)


def test_epigraph_start_is_feasible(data):
    losses = data.natural()
    form = epigraph.Epigraph(losses)
    assert form.constraints(form.start(np.zeros(losses.n_params))).min() == 0.0


@pytest.mark.parametrize("solver", [epigraph.slsqp(), epigraph.trust_constr()], ids=["SLSQP", "trust-constr"])
def test_epigraph_solvers_reach_our_optimum(data, solver):
    optimum = sb.solve(sb.Problem(data.fused()), tol=1e-10).value
    reached = run_once(Contestant(data.natural(), solver), sb.Zero(), optimum + 1e-6, budget=30.0)
    assert reached.evaluations_to(optimum + 1e-6) is not None


def test_lbfgsb_reaches_our_optimum_with_either_oracle(data):
    regularizer = sb.Quadratic(0.1)
    optimum = sb.solve(sb.Problem(data.fused(), regularizer=regularizer), tol=1e-10).value
    contestants = {"fused": Contestant(data.fused(), lbfgsb), "natural": Contestant(data.natural(), lbfgsb)}
    for standing in race(contestants, regularizer, optimum + 1e-7, repeats=1).values():
        assert standing.evaluations_to(optimum + 1e-7) is not None


@pytest.mark.parametrize("solver", one_group.SOLVERS)
def test_scikit_learn_has_the_optimum_of_one_group(solver):
    data = look_alikes({"one": (300, 4, 1)})["one"]
    problem = sb.Problem(data.fused())
    optimum = sb.solve(problem, tol=1e-11)
    assert problem.value(one_group.fit(data, solver, 1e-9)) == pytest.approx(optimum.value, abs=1e-8)


@pytest.mark.parametrize("solver", [solver for solver in selection.SOLVERS if solver != "liblinear"])
def test_the_fits_beside_a_selection_are_those_of_the_average_model(solver, monkeypatch):
    """C = 1/(n l2), as many times as there are worst weights. (liblinear penalizes the intercept as well.)"""
    data = look_alikes({"table": (300, 4, 3)})["table"]
    fitted = []

    class Recorded(selection.LogisticRegression):
        def fit(self, X, y):
            fitted.append(super().fit(X, y))
            return self

    monkeypatch.setattr(selection, "LogisticRegression", Recorded)
    train = np.arange(0, 300, 2)
    selection.fit_all(data, [(train, train + 1)], [1e-2], 3, solver, None)
    average = sb.MinimaxClassifier(0.0, l2=1e-2, standardize=False)
    average.fit(data.X[train], data.y[train], sensitive_features=data.groups[train])
    assert len(fitted) == 3
    np.testing.assert_allclose(fitted[-1].coef_, average.coef_, atol=1e-2)


def test_published_optima_are_read_from_a_folder_and_compared(tmp_path):
    pd = pytest.importorskip("pandas")
    rng, n = np.random.default_rng(0), 400
    races = [*published_optima.RACES, "Asian"]
    compas = {name: rng.integers(0, 9, n) for name in ("age", "priors_count", "juv_fel_count", "juv_misd_count")}
    compas |= {"race": rng.choice(races, n), "sex": rng.choice(["Female", "Male"], n)}
    compas |= {"c_charge_degree": rng.choice(["F", "M"], n), "two_year_recid": rng.integers(0, 2, n)}
    drug = {name: rng.normal(size=n) for name in published_optima.SCORES}
    drug |= {"cannabis": rng.choice(["CL0", "CL1", "CL5"], n), "country": rng.choice(["UK", "US", "Other"], n)}
    pd.DataFrame(compas).to_csv(tmp_path / "compas.csv.gz", index=False)
    pd.DataFrame(drug).to_csv(tmp_path / "drug.csv.gz", index=False)

    report = published_optima.measure(Options("small", repeats=1, data=tmp_path))
    rows = {row[0].split(" (")[0]: row for row in report.tables[0].rows}
    assert set(rows) == set(published_optima.PUBLISHED)
    # Three numbers, sex, the degree of the charge and three indicators of race, of which "Asian" is dropped.
    assert "d = 8, J = 4" in rows["compas by race"][0]
    assert rows["drug by country"][1:3] == ("0.589363", "450")
    assert [demand.met for demand in report.demands if "gap" in demand.what] == [True, True]


def test_smoothness_is_an_upper_bound_and_tight():
    data = conditioned_data(200, 6, 3, 100.0, 1e-3)
    blocks = [data.X[data.groups == j] for j in range(3)]
    L = max(np.linalg.norm(X, 2) ** 2 / (4 * len(X)) for X in blocks) + data.l2
    assert L <= data.smoothness() <= L * (1 + 1e-4)


def test_tables_are_standardized_and_drop_small_groups():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"x": rng.normal(3.0, 2.0, 100), "c": ["a", "b"] * 50, "g": ["u"] * 55 + ["v"] * 40 + ["w"] * 5}
    )
    data = grouped_table(table, pd.Series(rng.random(100) < 0.5), ["x"], ["c"], ["g"])
    assert data.X.shape == (95, 2)
    assert np.allclose(data.X.mean(axis=0), 0, atol=EXACT)
    assert np.unique(data.groups).tolist() == [0, 1]
    assert loan_table().fused().n_losses >= 4


# --- the clock --------------------------------------------------------------------------------------------------------


class Square:
    """One loss |w|^2, with and without the gradient."""

    n_losses, n_params = 1, 1
    flavor = "plain"

    def evaluate(self, w):
        return np.array([w @ w]), 2 * w[None, :]

    def values(self, w):
        return np.array([w @ w])


def test_recorder_counts_every_point_and_keeps_the_lowest_value():
    recorder = Recorder(Square(), lambda f: float(f.max()))
    for x in (3.0, 1.0, 2.0):
        recorder.evaluate(np.array([x]))
    recorder.values(np.array([0.5]))
    trajectory = recorder.trajectory
    assert trajectory.value.tolist() == [9.0, 1.0, 1.0, 0.25]
    assert (np.diff(trajectory.time) >= 0).all()
    assert trajectory.evaluations_to(1.0) == 2
    assert trajectory.evaluations_to(0.1) is None
    assert (trajectory.values_to(1.0), trajectory.values_to(0.25)) == (0, 1)
    assert np.isnan(trajectory.seconds_to(0.1))
    assert recorder.flavor == "plain"
    assert not hasattr(recorder, "hessian")


def test_recorder_does_not_count_its_own_time(monkeypatch):
    """By a clock that the losses move by 1 and the recorder's own work by 100."""
    now = [0.0]

    def pass_by(seconds, answer):
        now[0] += seconds
        return answer

    class Loss:
        n_losses = n_params = 1

        def evaluate(self, w):
            return pass_by(1.0, (np.array([w @ w]), 2 * w[None, :]))

    monkeypatch.setattr("benchmarks.recorder.time.perf_counter", lambda: now[0])
    recorder = Recorder(Loss(), lambda f: pass_by(100.0, float(f.max())))
    recorder.start()
    for _ in range(3):
        recorder.evaluate(np.ones(1))
    assert recorder.trajectory.time.tolist() == [1.0, 2.0, 3.0]


def test_recorder_counts_hessians_which_are_no_evaluations():
    data = conditioned_data(200, 4, 2, 10.0, 1e-3)
    problem = sb.Problem(data.fused())
    optimum = sb.solve(problem, tol=1e-10).value
    newton = run_once(Contestant(data.fused(), by("newton")), sb.Zero(), optimum + 1e-8)
    assert newton.hessians_to(optimum + 1e-8) == newton.evaluations_to(optimum + 1e-8) - 1 > 0
    smooth = run_once(Contestant(data.natural(), epigraph.slsqp()), sb.Zero(), optimum + 1e-6)
    assert smooth.hessians_to(optimum + 1e-6) == 0


def test_recorder_ends_a_run_at_the_target_and_at_the_budget():
    with pytest.raises(Enough):
        Recorder(Square(), lambda f: float(f.max()), target=2.0).evaluate(np.ones(1))
    with pytest.raises(Enough):
        Recorder(Square(), lambda f: float(f.max()), budget=0.0).evaluate(np.ones(1))


def test_race_stops_at_the_target_and_counts_as_the_result_does():
    data = paper_data(20, 3, 40, 0)
    losses, regularizer = data.fused(), sb.Quadratic(0.01)
    reference = sb.solve(sb.Problem(losses, regularizer=regularizer), tol=1e-9)
    standings = race(ours(losses, "quasi-newton"), regularizer, reference.value + 1e-6, repeats=2)
    runs = standings["quasi-newton"].runs
    assert len(runs) == 2
    assert runs[0].value[-1] <= reference.value + 1e-6 < runs[0].value[-2]
    result = sb.solve(sb.Problem(losses, regularizer=regularizer), method="quasi-newton", tol=1e-9)
    full = run_once(Contestant(losses, by("quasi-newton", tol=1e-9)), regularizer, -np.inf)
    assert len(full.time) == result.n_evals + result.n_values


def test_every_run_pays_for_what_the_losses_keep():
    losses = paper_data(200, 3, 2700, 0, np.float32).fused()
    sb.solve(sb.Problem(losses), method="quasi-newton", tol=1e-3)
    fresh = forgetful(losses)
    assert "sample" in vars(losses._summaries)
    assert "sample" not in vars(fresh._summaries)
    assert (fresh.evaluate(np.ones(200))[0] == losses.evaluate(np.ones(200))[0]).all()


def blas_pools():
    return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_thread_settings_are_set_and_restored():
    before = blas_pools()
    expected = {
        threads.ONE: dict.fromkeys(before, 1),
        threads.ALL: before,
        threads.SPLIT: {path: 1 if "scipy.libs" in path else n for path, n in before.items()},
    }
    for setting in threads.settings():
        with threads.limited(setting):
            assert blas_pools() == expected[setting]
        assert blas_pools() == before


def test_hopeless_thread_settings_are_dropped():
    assert threads.worth_repeating({"one": 1.0, "all": 2.0}) == ["one", "all"]
    assert threads.worth_repeating({"one": 1.0, "all": 4.0}) == ["one"]
    assert threads.worth_repeating({"one": np.nan, "all": 4.0}) == ["all"]
    assert threads.worth_repeating({"one": np.nan, "all": np.nan}) == ["one", "all"]


# --- the report -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SECTIONS))
def test_section_runs_at_tiny_size(name, tmp_path):
    run.measure([name], Options("tiny", repeats=1), tmp_path)
    section = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert section["tables"]
    for table in section["tables"]:
        assert table["rows"]
        assert {len(row) for row in table["rows"]} == {len(table["header"])}
    for demand in section["demands"]:
        assert set(demand) == {"what", "measured", "bound", "met"}
    for figure in section["figures"]:
        assert all(len(curve["x"]) == len(curve["y"]) > 0 for curve in figure["curves"].values())
    assert section["environment"]["numpy"] == np.__version__


def test_report_and_docs_are_made_of_the_files(tmp_path):
    run.main(["--tiny", "--repeats", "1", "--only", "scaling", "--out", str(tmp_path / "out")])
    run.write_docs(tmp_path / "out", tmp_path / "docs")
    text = (tmp_path / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert "images/bench_scaling.png" in text
    assert (tmp_path / "docs" / "images" / "bench_scaling.png").read_bytes().startswith(b"\x89PNG")
    assert "scaling (tiny)" in " ".join(text.split())
    assert text.count("| --- |") == 2
    report = (tmp_path / "out" / "bench.md").read_text(encoding="utf-8")
    assert report == text.replace("images/", "")


def test_reports_name_no_machine(tmp_path):
    run.main(["--tiny", "--repeats", "1", "--only", "many_groups", "--out", str(tmp_path)])
    text = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "many_groups.json", tmp_path / "bench.md"))
    for private in (str(ROOT), str(tmp_path), f'"{platform.node()}"'):
        assert private not in text


def test_unknown_section_is_refused(capsys):
    with pytest.raises(SystemExit):
        run.main(["--only", "nothing"])
    assert "invalid choice" in capsys.readouterr().err


def test_demands_say_whether_they_are_met():
    assert Demand("a", 2.0, at_most=2.0).met
    assert not Demand("a", 2.1, at_most=2.0).met
    assert Demand("a", 2.0, at_least=2.0).met
    assert not Demand("a", np.nan, at_most=2.0).met
    assert Demand("a", np.inf, at_least=1.0).to_dict()["measured"] is None
    assert Demand("a", 1.0, at_least=1.0, at_most=3.0).bound == "at least 1 and at most 3"


def test_markdown_and_json_writers(tmp_path):
    table = Table("caption", ["name", "x"], [("a", 1), ("b", 2.5)])
    figure = Figure("f", "title", "x", "y", {"c": ([1.0], [2.0])})
    report = Report("Title", "Text.", [table], [Demand("d", 1.0, at_most=2.0)], [figure], {"seconds": np.nan})
    section = {**report.to_dict(), "repeats": 1, "scale": "tiny", "environment": {"cpus": 2}}
    writing.write_json(tmp_path / "a" / "x.json", section)
    read = json.loads((tmp_path / "a" / "x.json").read_text(encoding="utf-8"))
    assert read["data"]["seconds"] is None
    text = render.page({"x": read}, "pictures/")
    assert "| a | 1 |\n| b | 2.5 |" in text
    assert "| x: d | tiny | 1 | at most 2 | PASS |" in text
    assert "![title](pictures/bench_f.png)" in text


def test_ratios_have_two_digits_or_so():
    assert [writing.ratio(r, 1.0) for r in (0.123, 1.0, 12.34, 123.4, np.nan)] == ["0.12", "1.00", "12.3", "123", "-"]


def test_curves_are_thinned_and_stay_above_their_floor():
    trajectory = Trajectory(np.arange(1.0, 1001.0), np.linspace(1.0, 0.0, 1000), *np.zeros((2, 1000), dtype=int))
    (x, y) = gap_curves({"a": trajectory}, optimum=0.0, unit=2.0, floor=1e-3)["a"]
    assert len(x) <= 200
    assert (x[0], x[-1]) == (0.5, 500.0)
    assert min(y) == 1e-3
