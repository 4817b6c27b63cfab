"""The trial of truth: its own truth, its counts, and a small run of it."""

from __future__ import annotations

import json
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

import saddleback as sb
from benchmarks.truth import run
from benchmarks.truth.page import INTRODUCTION, page
from benchmarks.truth.problems import constructed, ill_tables, nonconvex, spectral
from benchmarks.truth.problems.adversaries import FACES, draw_saddle
from benchmarks.truth.problems.convex_losses import PIECES, Pieces
from benchmarks.truth.problems.known_tables import draw_table
from benchmarks.truth.problems.reference import least_worst_loss
from benchmarks.truth.problems.search import lowest_inside
from benchmarks.truth.problems.table import Table
from benchmarks.truth.section import Section
from benchmarks.truth.sections import SECTIONS
from benchmarks.truth.tally import RAISED, Outcome, Ratio, Share, Tally
from saddleback.losses.differences import central_differences

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

# Clarabel's own tolerance is 1e-8; its answers to badly scaled cones are a little worse.
CONIC = 1e-6
# Rounding of sums of a few dozen terms of size one.
EXACT = 1e-11


# --- counts and limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("found", "kept"), [(0, True), (1, True), (2, False)])
def test_a_share_allows_whole_cases(found, kept):
    tally = Tally()
    tally.add(Outcome({"wrong": i < found}) for i in range(150))
    row = Share("wrong", 0.01).row(tally)
    assert (row.found, row.of, row.allowed, row.kept) == (str(found), "150", "1 (1 %)", kept)


def test_a_share_of_nothing_allows_nothing_and_none_allows_all():
    tally = Tally()
    tally.add([Outcome({"wrong": True, "noted": True})])
    assert not Share("wrong").row(tally).kept
    assert Share("noted", None).row(tally).kept


def test_a_ratio_is_that_of_the_sums():
    tally = Tally()
    tally.add(Outcome({}, sums={"now": now, "before": 10.0}) for now in (8.0, 16.0))
    assert Ratio("evaluations", "now", "before", 1.2).row(tally).kept
    assert not Ratio("evaluations", "now", "before", 1.1).row(tally).kept


def test_endings_are_counted_by_the_kind_of_run():
    tally = Tally()
    tally.add([Outcome({}, "squares", "certified"), Outcome({}, "squares", "STALLED"), Outcome({RAISED: False})])
    assert "| squares | 1 | 1 |" in tally.endings_table()
    assert len(tally.endings_table().splitlines()) == 3


def _coin(rng, number):
    """Wrong for odd numbers, raises for 7."""
    if number == 7:
        raise ArithmeticError("seven")
    return [Outcome({"odd": number % 2 == 1}, "coins", "thrown", f"number {number}")]


@pytest.fixture
def coins(monkeypatch):
    section = Section("coins", "Coins", "Numbers that are odd.", _coin, (Share("odd", 0.5),), {"small": 6, "full": 10})
    monkeypatch.setitem(SECTIONS, "coins", section)
    return section


def test_the_command_fails_when_a_limit_is_exceeded(coins, tmp_path, capsys):
    arguments = ["--only", "coins", "--jobs", "1", "--out", str(tmp_path)]
    assert run.main([*arguments, "--scale", "small"]) == 0
    # Case 7 raises: nobody promised that, so one is too many.
    assert run.main(arguments) == 1
    printed = capsys.readouterr().out
    assert "--only coins --seed 0 --case 7: unexpected exceptions" in printed
    assert "ArithmeticError: seven" in printed
    assert json.loads((tmp_path / "coins.json").read_text())["cases"] == 10


def test_one_case_can_be_tried_alone(coins, capsys):
    assert run.main(["--only", "coins", "--case", "3"]) == 0
    assert "number 3" in capsys.readouterr().out
    assert run.main(["--case", "3"]) == 2


def test_the_page_has_the_counts_beside_their_limits(coins, tmp_path):
    target = tmp_path / "reliability.md"
    run.main(["--only", "coins", "--jobs", "1", "--scale", "small", "--out", str(tmp_path), "--write", str(target)])
    text = target.read_text(encoding="utf-8")
    assert "| odd | 3 | 6 | 3 (50 %) | kept |" in text
    assert "6 cases, by `python -m benchmarks.truth --only coins --count 6`." in text
    assert page({}) in text


def test_the_page_of_the_documentation_has_the_texts_of_the_sections():
    text = " ".join((ROOT / "docs" / "reliability.md").read_text(encoding="utf-8").split())
    for part in (INTRODUCTION, *(section.about for section in SECTIONS.values())):
        assert " ".join(part.split()) in text


def test_processes_find_what_one_finds(tmp_path):
    section = SECTIONS["nonconvex"]
    alone, together = (run.run_section(section, "small", 1, jobs, 4) for jobs in (1, 2))
    assert alone.to_dict() == together.to_dict()


# --- the truth of the trial -------------------------------------------------------------------------------------------


def _conic_optimum(table: Table) -> float:
    w = cp.Variable(table.design.shape[1])
    eta = table.design @ w
    rows = cp.logistic(cp.multiply(-table.y, eta)) if table.loss == "logistic" else cp.square(eta - table.y)
    losses = [cp.sum(rows[np.flatnonzero(table.groups == j)]) / (table.groups == j).sum() for j in set(table.groups)]
    penalty = 0.5 * table.l2 * cp.sum_squares(w[: table.X.shape[1]])
    return float(cp.Problem(cp.Minimize(cp.maximum(*losses) + penalty)).solve(solver=cp.CLARABEL))


@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize("kind", ["well-conditioned", "low rank", "rare categories"])
@pytest.mark.parametrize("l2", [0.0, 0.01])
def test_the_reference_agrees_with_a_conic_solver(kind, loss, l2):
    rng = np.random.default_rng(4)
    X = ill_tables.KINDS[kind](rng, 80, 5)
    groups = ill_tables.draw_groups(rng, 80, 3)
    table = Table(kind, X, ill_tables.respond(rng, X, groups, loss), groups, loss, True, l2)
    assert least_worst_loss(table) == pytest.approx(_conic_optimum(table), abs=CONIC)


def test_the_reference_finds_an_infimum_at_infinity():
    # The second column is 1 on the first ten rows, all positive: they cost nothing in the limit.
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(60), np.arange(60) < 10])
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    y[:10] = 1.0
    groups = np.arange(60) % 2
    table = Table("by hand", X, y, groups, "logistic")
    grid = np.linspace(-3, 3, 200_001)
    losses = np.logaddexp(0.0, -y[10:, None] * X[10:, :1] * grid)
    limit = np.maximum(*(losses[groups[10:] == j].sum(axis=0) / (groups == j).sum() for j in (0, 1))).min()
    assert least_worst_loss(table) == pytest.approx(limit, abs=1e-8)
    assert limit < table.value(np.array([0.0, 5.0]))


def test_units_do_not_move_the_reference():
    rng = np.random.default_rng(8)
    table = ill_tables.draw(rng, "near-collinear", "squared")
    other = table.in_units(10.0 ** rng.uniform(-7, 7, table.X.shape[1]))
    assert least_worst_loss(other) == pytest.approx(least_worst_loss(table), abs=1e-9)


@pytest.mark.parametrize("kind", FACES)
def test_chosen_weights_are_best_responses(kind):
    rng = np.random.default_rng(1)
    for _ in range(10):
        saddle = draw_saddle(rng, kind, int(rng.integers(1, 7)))
        size = 1.0 + float(np.abs(saddle.c).max())
        # In the set: a point that is not would prove too much.
        assert saddle.dual_set.contains(saddle.lam, 1e-12 * size)
        problem = sb.Problem(
            Pieces(
                "squares",
                saddle.c,
                np.zeros((saddle.c.size, 1)),
                np.zeros((saddle.c.size, 1)),
                np.ones((1, 1)),
                np.zeros(1),
                np.ones(1),
            ),
            saddle.dual_set,
            saddle.regularizer,
        )
        # Where the library has no formula, its response comes from an inner solver.
        assert problem.best_response(saddle.c).value == pytest.approx(saddle.value, abs=1e-8 * size)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: constructed.draw(rng, mild=False, hessian=True),
        lambda rng: constructed.draw(rng, mild=True),
        lambda rng: spectral.draw_spectral(rng, mild=True),
        draw_table,
    ],
    ids=["all", "mild", "spectral", "tables"],
)
def test_chosen_points_are_optimal(draw):
    rng = np.random.default_rng(2)
    for _ in range(15):
        known = draw(rng)
        w = known.losses.nearest_minimizer(known.w0)
        slack = 1e-8 * (known.size + abs(known.optimum))
        assert known.problem.value(known.w0) >= known.optimum - slack
        # Where the infimum was computed no minimizer is known.
        if np.isfinite(w).all():
            assert known.problem.value(w) == pytest.approx(known.optimum, abs=slack)
            for _ in range(3):
                v = w + 0.1 * (known.w0 - w) * rng.standard_normal(w.size)
                assert known.problem.value(v) >= known.optimum - slack


@pytest.mark.parametrize("psi", PIECES)
def test_pieces_have_the_derivatives_they_say(psi):
    rng = np.random.default_rng(3)
    J, d = 3, 4
    losses = Pieces(
        psi,
        rng.standard_normal(J),
        rng.standard_normal((J, d)),
        rng.random((J, d)),
        rng.standard_normal((d, d)),
        rng.standard_normal(d),
        10.0 ** rng.uniform(-1, 1, d),
        0.3,
    )
    w, lam = losses.optimum + 0.3 * losses.units * rng.standard_normal(d), rng.random(J)
    G = losses.evaluate(w)[1]
    np.testing.assert_allclose(central_differences(lambda v: losses.evaluate(v)[0], w), G, rtol=1e-6, atol=1e-6)
    H = central_differences(lambda v: lam @ losses.evaluate(v)[1], w)
    np.testing.assert_allclose(H, losses.weighted_hessian(w, lam), rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(losses.evaluate(losses.optimum)[0], losses.c, rtol=0, atol=EXACT)


@pytest.mark.parametrize("name", nonconvex.FAMILIES)
def test_families_have_the_derivatives_they_say(name):
    rng = np.random.default_rng(6)
    for _ in range(5):
        family = nonconvex.FAMILIES[name](rng)
        w = rng.standard_normal(family.d)
        numeric = central_differences(lambda v: family.pair(v)[0], w)  # noqa: B023
        np.testing.assert_allclose(numeric, family.pair(w)[1], rtol=1e-5, atol=1e-6)


def test_the_search_stays_inside_and_finds_the_other_well():
    def g(w):
        q = w @ w - 1.0
        return q * q, 4.0 * q * w

    rng = np.random.default_rng(0)
    value, where = lowest_inside(rng, g, np.zeros(2), 2.0, [])
    assert value < 1e-8
    assert np.linalg.norm(where) == pytest.approx(1.0, abs=1e-3)
    assert lowest_inside(rng, g, np.zeros(2), 0.5, [])[0] == pytest.approx(9 / 16, rel=0.05)


def test_a_case_is_the_same_whenever_it_is_tried():
    section = SECTIONS["constructed"]
    first, again = (section.try_case(0, 3) for _ in range(2))
    assert first == again
    assert first != section.try_case(1, 3)


# --- a small trial ----------------------------------------------------------------------------------------------------

# Sections whose limits are kept, with as many cases as take a few seconds.
SMALL = {"constructed": 24, "tables": 18, "units": 12, "nonconvex": 14, "faults": 28, "hard": 35}


@pytest.mark.parametrize(("name", "count"), SMALL.items())
def test_promises_are_kept(name, count):
    report = run.run_section(SECTIONS[name], "small", 0, 1, count)
    assert report.kept, "\n".join(report.failures)


def test_rounding_errors_of_far_points_are_no_gain():
    """Case 5701 followed a flat direction to 1e47, where its losses are -1e27 by rounding."""
    (outcome,) = SECTIONS["constructed"].try_case(0, 5701)
    assert not any(outcome.counts.values())
