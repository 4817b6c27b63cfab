"""The checks of the theory's scaling: what they measure agrees with the theorems, and what they write can be read."""

from __future__ import annotations

import json
from functools import cache
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pytest
from problems import nesterov_split

from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.errors import ProblemError
from saddleback.paper.theory import CHECKS, COLUMNS
from saddleback.paper.theory.costs import fit
from saddleback.paper.theory.newton_steps import Sampled, guarantee, guarantee_of_full_steps
from saddleback.paper.theory.scaling import end_orders, order, table
from saddleback.paper.theory.worst_case import SplitChain
from saddleback.regularizers import Zero
from saddleback.subproblem import DualSubproblem

# The gap of a point near the path is between J/tau and a fraction of it: this factor on top of the explicit count.
NEAR_THE_PATH = 1.5


@cache
def measured(name: str) -> dict[str, Any]:
    return CHECKS[name].measure("tiny", 0, lambda text: None)


# What every check offers


@pytest.mark.parametrize("name", CHECKS)
def test_numbers_survive_json(name: str) -> None:
    assert json.loads(json.dumps(measured(name), allow_nan=False)) == measured(name)


@pytest.mark.parametrize("name", CHECKS)
def test_rows_are_tidy(name: str) -> None:
    rows = CHECKS[name].rows(measured(name))
    assert rows
    for row in rows:
        assert tuple(row) == COLUMNS
        assert row["check"] == name
        assert all(isinstance(row[key], int | float) for key in ("x", "measured"))
        assert row["predicted"] is None or row["predicted"] > 0


@pytest.mark.parametrize("name", CHECKS)
def test_text_holds_whole_tables(name: str) -> None:
    text = CHECKS[name].text(measured(name))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) >= 5
    assert text.endswith("|\n")
    assert "nan" not in text
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    for block in blocks:
        assert len({line.count("|") for line in block}) == 1


@pytest.mark.parametrize("name", CHECKS)
def test_panels_can_be_drawn(name: str) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    canvas = FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(CHECKS[name].PANELS), squeeze=False)[0]
    CHECKS[name].draw(measured(name), panels)
    canvas.draw()
    for axes in panels:
        assert axes.get_xscale() == axes.get_yscale() == "log"
        assert axes.get_xlabel()
        assert axes.get_ylabel()
        assert {line.get_linestyle() for line in axes.lines} >= {"--", "None"}


@pytest.mark.parametrize("name", CHECKS)
def test_unknown_scales_are_refused(name: str) -> None:
    with pytest.raises(ProblemError, match="unknown scale 'huge'"):
        CHECKS[name].measure("huge", 0, lambda text: None)


def test_progress_is_told() -> None:
    told: list[str] = []
    CHECKS["costs"].measure("tiny", 1, told.append)
    assert told
    assert all(text.startswith("costs: ") for text in told)


# The rate


def test_gaps_stay_below_the_theorem_at_every_T() -> None:
    for series in measured("rate")["series"]:
        gaps, bound = np.array(series["gap"]), np.array(series["bound"])
        assert series["below_bound"]
        assert (gaps <= bound).all(), series["name"]


def test_gaps_fall_as_fast_as_the_theorem_says() -> None:
    """Slope -2 or better on the paper's problem; on the worst case at least the slope of the bound itself."""
    for series in measured("rate")["series"]:
        worst = series["least"] is not None
        assert series["slope"] <= (series["bound_slope"] if worst else -2.0), series["name"]
        if worst:
            assert (np.array(series["gap"]) >= series["least"]).all()


@pytest.mark.parametrize(("J", "d"), [(2, 5), (3, 41)])
def test_worst_case_is_nesterovs(J: int, d: int) -> None:
    chain, known = SplitChain(J, d), nesterov_split(J, d)
    assert known.losses.L == chain.L
    assert chain.optimum == pytest.approx(known.value)
    np.testing.assert_allclose(chain.minimizer, known.w)
    for w in (chain.minimizer, np.random.default_rng(d).standard_normal(d)):
        for ours, theirs in zip(chain.evaluate(w), known.losses.evaluate(w), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-13)


# Newton steps


def test_newton_steps_stay_below_the_theorems() -> None:
    for point in measured("newton_steps")["points"]:
        assert 0 < point["paper"] <= point["guarantee_of_full_steps"] <= point["guarantee"]


@pytest.mark.parametrize("magnitude", [4.0, 1e-10])
def test_guarantees_by_hand(magnitude: float) -> None:
    """J = 5, max c - min c = 1: max Q_jj/2 + 1 over omega(1/4) in Phase I; nu = 4 in Phase II."""
    c = np.array([0.0, 1.0, 0.5, 0.5, 0.5])
    D = DualSubproblem(magnitude * np.eye(5), c, Adversary(Simplex(), Zero(), 5))
    phase_one, growth = ceil((0.5 * magnitude + 1.0) / (0.25 - log(1.25))), log(1 + 1 / (15 * sqrt(5)))
    # Steps are whole numbers: every constant shows at some of these accuracies.
    for eps in 1e-3 * 1.002 ** np.arange(20):
        assert guarantee_of_full_steps(D, eps) == phase_one + ceil(log(4.0 / eps) / growth)
        # (4 + 2/3 + log(4/3) - 1/4)/tau + 2/3 sqrt(max Q_jj/tau) <= eps, solved by bisection.
        low, high = 1.0, 1e12
        for _ in range(200):
            tau = sqrt(low * high)
            enough = (4 + 2 / 3 + log(4 / 3) - 0.25) / tau + 2 / 3 * sqrt(magnitude / tau) <= eps
            low, high = (low, tau) if enough else (tau, high)
        assert guarantee(D, eps) == phase_one + ceil(log(high) / growth)


def test_a_single_loss_needs_no_step() -> None:
    D = DualSubproblem(np.eye(1), np.ones(1), Adversary(Simplex(), Zero(), 1))
    assert guarantee(D, 1e-3) == guarantee_of_full_steps(D, 1e-3) == 0


def test_newton_steps_grow_as_the_corollary_says() -> None:
    """About 15 sqrt(J) log(J/eps) with eps = t^-4 at L = 1: the ratios to sqrt(J) log(J G t) vary as these do."""
    points = [p for p in measured("newton_steps")["points"] if p["gamma"] == 0.0]
    explicit = [15 * log(p["J"] * p["t"] ** 4) / log(p["J"] * p["G"] * p["t"]) for p in points]
    plain = measured("newton_steps")["fits"][0]
    least, most = plain["ratios"]
    assert most / least <= NEAR_THE_PATH * max(explicit) / min(explicit)
    assert min(explicit) / NEAR_THE_PATH <= plain["constant"] <= max(explicit) * NEAR_THE_PATH


def test_strong_convexity_of_R_only_saves_steps() -> None:
    points = measured("newton_steps")["points"]
    plain, regular = ({(p["J"], p["t"]): p["paper"] for p in points if p["gamma"] == g} for g in (0.0, 0.01))
    assert plain.keys() == regular.keys()
    assert all(regular[key] <= plain[key] * 1.05 + 1 for key in plain)


def test_long_steps_are_few() -> None:
    assert max(p["long"] for p in measured("newton_steps")["points"]) <= 30


def test_sampled_solver_counts_only_at_its_times() -> None:
    problem = DualSubproblem(np.eye(3), np.array([1.0, 0.5, 0.0]), Adversary(Simplex(), Zero(), 3))
    sampled = Sampled(times=(2,))
    assert sampled.needs.unmet(problem.adversary) is None
    solutions = [sampled.solve(problem, 1e-4) for _ in range(3)]
    assert all(solution.converged for solution in solutions)
    assert [t for t, *_ in sampled.seen] == [2]
    assert sampled.largest == [1.0, 1.0, 1.0]
    assert sampled.seen[0][-1]["paper"] == solutions[1].n_iter <= guarantee(problem, 1e-4)


# Costs


def test_fit_recovers_known_costs() -> None:
    d = np.array([1e3, 1e4, 1e5, 1e6, 1e3, 1e3, 1e3])
    J = np.array([8.0, 8.0, 8.0, 8.0, 32.0, 128.0, 512.0])
    terms = {"1": np.ones_like(J), "d J^2": d * J**2, "J^3.5": J**3.5}
    truth = {"1": 2e-3, "d J^2": 3e-10, "J^3.5": 4e-9}
    seconds = sum(truth[name] * terms[name] for name in terms)
    found = fit(terms, seconds)
    assert found["coefficients"] == pytest.approx(truth, rel=1e-8)
    np.testing.assert_allclose(found["predicted"], seconds)
    assert found["ratios"] == pytest.approx([1.0, 1.0])


def test_fit_leaves_out_what_costs_nothing() -> None:
    J = np.array([2.0, 4.0, 8.0, 16.0])
    found = fit({"1": np.ones(4), "J": J, "J^3": J**3}, 5.0 * J)
    assert found["coefficients"] == pytest.approx({"1": 0.0, "J": 5.0, "J^3": 0.0}, abs=1e-9)


# Orders


def test_orders_are_exponents() -> None:
    x = [1.0, 2.0, 4.0, 8.0]
    assert order(x, [3.0 * v**2.5 for v in x]) == pytest.approx(2.5)
    assert end_orders(x, [1.0, 2.0, 4.0, 32.0]) == pytest.approx([1.0, 3.0])
    assert order([1.0], [1.0]) is None


def test_tables_show_what_is_missing() -> None:
    assert table(("a", "b"), [(1.23456, None)]) == "| a | b |\n| --- | ---: |\n| 1.23 | - |"
