"""The held-out study: its figures by hand, its files, its words and its command."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from benchmarks.heldout import run, study
from benchmarks.heldout.contestants import AVERAGE, CONTESTANTS, Contestant, Fitted
from benchmarks.heldout.distribution import chance_counts, z_counts
from benchmarks.heldout.folds import draw_folds
from benchmarks.heldout.measures import Paired, row_hit, row_loss, worst_group
from benchmarks.heldout.nested import OUTER_FOLDS, Judged, fingerprint, judge
from benchmarks.heldout.page import page
from benchmarks.heldout.store import load, path_of, save
from benchmarks.heldout.summary import summarize
from benchmarks.heldout.tables import Table, some_rows

# Rounding of sums of a few hundred terms of size one.
EXACT = 1e-12


def people(n=200, classes=True, seed=0):
    """Two groups, of which the smaller one follows another rule."""
    rng = np.random.default_rng(seed)
    groups = np.where(np.arange(n) % 4 == 0, "few", "many")
    X = rng.standard_normal((n, 2))
    score = X[:, 0] + np.where(groups == "few", -1.0, 1.0) * X[:, 1] + 0.5 * rng.standard_normal(n)
    return Table(X, (score > 0).astype(float) if classes else score, groups, ("a", "b"), classes)


def constant(name, value, base="average"):
    """Predicts one number."""
    return Contestant(name, lambda rows: Fitted(lambda X: np.full(len(X), value), f"{value:g}"), base)


# --- figures ----------------------------------------------------------------------------------------------------------


def test_losses_of_rows():
    table = Table(np.zeros((3, 1)), np.array([1.0, 0.0, 1.0]), np.array(["g"] * 3), ("a",), True)
    p = np.array([0.8, 0.8, 0.0])
    np.testing.assert_allclose(row_loss(table, p), -np.log([0.8, 0.2, 1e-15]), rtol=EXACT)
    np.testing.assert_array_equal(row_hit(table, p), [1.0, 0.0, 0.0])
    numbers = Table(table.X, table.y, table.groups, ("a",), False)
    np.testing.assert_allclose(row_loss(numbers, p, unit=4.0), [0.01, 0.16, 0.25], rtol=EXACT)
    assert np.isnan(row_hit(numbers, p)).all()


def test_paired_errors_by_hand():
    paired = Paired.of(np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 1.0]))
    # Differences 0, 1, 5: mean 2, variance (4 + 1 + 9) / 2 = 7.
    assert paired.mean == pytest.approx(2.0, rel=EXACT)
    assert paired.error == pytest.approx(np.sqrt(7.0 / 3.0), rel=EXACT)
    assert paired.z == pytest.approx(2.0 / np.sqrt(7.0 / 3.0), rel=EXACT)


def test_z_of_equal_losses_is_zero_and_of_constant_differences_infinite():
    ones = np.ones(4)
    assert Paired.of(ones, ones).z == 0.0
    assert Paired.of(ones, 2.0 * ones).z == -np.inf


def test_summary_by_hand():
    table = Table(np.zeros((5, 1)), np.ones(5), np.array(["a", "a", "a", "b", "b"]), ("x",), True)
    base = Judged(np.array([1.0, 2, 3, 1, 1]), np.array([1.0, 0, 0, 1, 1]), np.full(5, 0.5), ("l2 1",) * 5, 1.0)
    own = Judged(
        np.array([1.0, 1, 1, 2, 2]), np.array([1.0, 1, 0, 0, 0]), np.full(5, 0.2), ("x", "y", "x", "x", "x"), 2.0
    )
    found = summarize("t", 0, table, constant("own", 0.5), {"average": base, "own": own})
    assert (found.group, found.group_rows, found.group_rank, found.own_group) == ("a", 3, "largest", "b")
    # Differences of group a: 0, -1, -2.
    assert (found.base_loss, found.loss, found.change) == pytest.approx((2.0, 1.0, -1.0), rel=EXACT)
    assert found.change_error == pytest.approx(np.sqrt(1.0 / 3.0), rel=EXACT)
    assert found.accuracy_change == pytest.approx(1.0 / 3.0, rel=EXACT)
    assert (found.own_loss, found.own_change, found.own_accuracy) == pytest.approx((2.0, 1.0, 0.0), rel=EXACT)
    assert (found.worst_change, found.training_change) == pytest.approx((0.0, -0.3), abs=EXACT)
    # Differences 0, -1, -2, 1, 1: mean -0.2, variance (0.04 + 0.64 + 3.24 + 1.44 + 1.44) / 4 = 1.7.
    assert found.overall_change == pytest.approx(-0.2, rel=1e-9)
    assert found.overall_error == pytest.approx(np.sqrt(1.7 / 5.0), rel=1e-9)
    assert (found.chosen, found.same) == ("4 x x; 1 x y", False)


def test_the_worst_group_is_that_of_the_largest_mean():
    assert worst_group(np.array(["a", "b", "b"]), np.array([1.0, 0.5, 1.4])) == "a"


def test_counts_of_z_and_what_chance_gives():
    counts = z_counts([-2.5, -1.5, -0.5, 0.5, 0.2, 3.0])
    assert [counts[k] for k in counts] == [1, 1, 1, 2, 0, 1]
    chance = chance_counts(1000)
    assert sum(chance.values()) == pytest.approx(1000.0)
    assert next(iter(chance.values())) == pytest.approx(22.75, abs=0.01)


# --- nested cross-validation ------------------------------------------------------------------------------------------


def test_folds_are_stratified_and_repeatable():
    table = people()
    folds = draw_folds(table, OUTER_FOLDS, seed=3)
    np.testing.assert_array_equal(folds, draw_folds(table, OUTER_FOLDS, seed=3))
    for group in ("few", "many"):
        for label in (0.0, 1.0):
            sizes = np.bincount(folds[(table.groups == group) & (table.y == label)], minlength=OUTER_FOLDS)
            assert np.ptp(sizes) <= 2


def test_a_model_is_judged_by_rows_that_it_has_not_seen():
    table = people(classes=False)
    seen = []

    def remember(rows):
        known = {tuple(x) for x in rows.X}
        seen.append(len(known))
        return Fitted(lambda X: np.array([100.0 * (tuple(x) in known) for x in X]), "")

    judged = judge(table, Contestant("memory", remember), split=0)
    np.testing.assert_allclose(judged.loss, table.y**2 / table.y.var(), rtol=EXACT)
    np.testing.assert_allclose(judged.training_loss, (100.0 - table.y) ** 2 / table.y.var(), rtol=1e-10)
    assert seen == [160] * OUTER_FOLDS


@pytest.mark.slow
@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("name", CONTESTANTS)
def test_every_contestant_fits_and_predicts(name, classes):
    contestant = CONTESTANTS[name]
    if contestant.classes_only and not classes:
        pytest.skip("for classes only")
    table = people(120, classes)
    with threadpool_limits(1):
        fitted = contestant.fit(table)
    prediction = fitted.predict(table.X)
    assert prediction.shape == (120,)
    assert row_loss(table, prediction, table.y.var()).mean() < (np.log(2.0) if classes else 1.0)


@pytest.mark.slow
def test_the_selected_model_is_the_average_one_to_the_last_digit_where_it_is_kept():
    table = people(200)
    same = replace(table, groups=np.where(np.arange(200) % 8 < 4, "even", "odd"))
    fitted = {name: CONTESTANTS[name].fit(same) for name in ("average", "selected")}
    assert fitted["selected"].chosen == f"{AVERAGE}, {fitted['average'].chosen}"
    np.testing.assert_array_equal(*(model.predict(table.X) for model in fitted.values()))


def test_bases_come_first():
    names = list(CONTESTANTS)
    for contestant in CONTESTANTS.values():
        assert contestant.base is None or names.index(contestant.base) < names.index(contestant.name)


# --- files ------------------------------------------------------------------------------------------------------------


def test_what_is_stored_is_not_computed_again(tmp_path):
    calls = []

    def counted(rows):
        calls.append(len(rows.y))
        return Fitted(lambda X: np.full(len(X), 0.5), "half")

    table = people()
    contestants = {"average": Contestant("average", counted, None), "third": constant("third", 1.0 / 3.0)}
    plan = study.Plan({"people": lambda: table}, contestants, [0], tmp_path)
    first = study.carry_out(plan, lambda _: None)
    assert len(calls) == OUTER_FOLDS
    again = study.carry_out(plan, pytest.fail)
    assert (again, len(calls)) == (first, OUTER_FOLDS)
    assert [s.contestant for s in first] == ["average", "third"]

    path_of(tmp_path, "people", 0, "average").write_bytes(b"PK broken")
    study.carry_out(plan, lambda _: None)
    assert len(calls) == 2 * OUTER_FOLDS
    study.carry_out(study.Plan(plan.tables, contestants, [0], tmp_path, fresh=True), lambda _: None)
    assert len(calls) == 3 * OUTER_FOLDS


def test_files_of_other_rows_or_splits_are_not_believed(tmp_path):
    table, path = people(), tmp_path / "rows.npz"
    judged = judge(table, constant("half", 0.5), split=0)
    save(path, judged, fingerprint(table, 0))
    assert load(path, fingerprint(table, 0)).chosen == judged.chosen
    assert load(path, fingerprint(table, 1)) is None
    assert load(path, fingerprint(people(seed=1), 0)) is None
    assert load(tmp_path / "absent.npz", "") is None


def test_equal_runs_give_equal_bytes(tmp_path):
    table, files = people(), []
    for k in range(2):
        judged = judge(table, CONTESTANTS["worst-group"], split=0)
        files.append(tmp_path / f"{k}.npz")
        save(files[-1], Judged(judged.loss, judged.hit, judged.training_loss, judged.chosen, 0.0), "")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_smaller_tables_keep_groups_that_are_large_enough():
    assert set(some_rows(people(), 100).groups) == {"few", "many"}
    assert set(some_rows(people(), 60).groups) == {"many"}


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch):
    """Constants in place of models."""
    names = {name: constant(name, 0.3 + 0.05 * k, c.base) for k, (name, c) in enumerate(CONTESTANTS.items())}
    monkeypatch.setattr(run, "CONTESTANTS", names)


@pytest.fixture
def file(tmp_path):
    table = people()
    path = tmp_path / "people.csv"
    pd.DataFrame({"a": table.X[:, 0], "b": table.X[:, 1], "paid": table.y, "town": table.groups}).to_csv(
        path, index=False
    )
    return path


@pytest.mark.usefixtures("quick")
def test_command_writes_figures_page_and_picture(file, tmp_path):
    out = tmp_path / "out"
    assert run.main(["--csv", f"{file}:paid:town", "--out", str(out), "--splits", "2"]) == 0
    with (out / "heldout.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == len(CONTESTANTS) + len(study.REPEATED)
    assert {row["table"] for row in rows} == {"people.csv: paid by town"}
    text = (out / "heldout.md").read_text(encoding="utf-8")
    assert "people.csv: paid by town" in text
    assert str(tmp_path) not in text
    assert (out / run.PICTURE).stat().st_size > 0


def test_models_come_with_those_that_they_are_compared_with():
    assert list(run.find_contestants(["corrected boosting"])) == ["average", "boosting", "corrected boosting"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--csv", "people.csv"], "--csv must be path:target:group1,group2; got 'people.csv'"),
        (["--csv", "/absent/people.csv:paid:town"], "No such file"),
        (["--csv", "{file}:income:town"], "has no column 'income'; it has 'a', 'b', 'paid', 'town'"),
        (["--tables", "moon by crater"], "there is no table 'moon by crater'; there are: 401ksubs"),
        (["--tables", "drug by country"], "there is no table 'drug by country'; it is in a file: pass --folder"),
        (["--folder", "{folder}"], "has no file adult_train.csv.gz; it must hold adult_train.csv.gz, compas"),
        (["--models", "selcted"], "there is no model 'selcted'; there are: average, balanced"),
        (["--splits", "0"], "--splits must be at least 1; got 0"),
    ],
)
def test_mistakes_end_with_status_2_and_one_sentence(arguments, message, file, tmp_path, capsys):
    given = [text.format(file=file, folder=tmp_path) for text in arguments]
    assert run.main([*given, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_page_of_one_table_has_all_parts(tmp_path):
    models = {"average": constant("average", 0.4, None), "selected": constant("selected", 0.45)}
    plan = study.Plan({"people": people}, models, [0, 1], tmp_path)
    text = page(study.carry_out(plan, lambda _: None), "z.png")
    assert "| people |" in text
    assert "](z.png)" in text
    assert "nan" not in text
