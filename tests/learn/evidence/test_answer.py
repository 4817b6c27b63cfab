"""The three sentences say what the held-out rows show, also where that is not what was hoped for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import saddleback as sb
from saddleback.learn.evidence.answer import answer_of
from saddleback.learn.evidence.evaluation import Evaluation
from saddleback.learn.evidence.figures import compare
from saddleback.learn.evidence.outcome import outcome_of
from saddleback.learn.evidence.plain import in_sentence
from saddleback.learn.evidence.splitting import split_rows
from saddleback.learn.evidence.subject import read_subject
from saddleback.learn.fitting.candidate import Candidate

CHOICE = {"worst_weights": [0, 0.5, 1], "priors": [0], "l2s": [0.01], "cv": 3, "repeats": 1}


def table(gain: bool):
    rng = np.random.default_rng(0)
    X, town = rng.standard_normal((900, 2)), np.arange(900) % 3
    eta = 1.5 * X[:, 0] * np.where(town == 1, -1.0, 1.0) + X[:, 1] if gain else X[:, 0]
    return X, eta + rng.logistic(size=900) > 0, {"town": np.array(["a", "b", "c"])[town]}


@pytest.fixture(scope="module")
def gained():
    X, y, town = table(gain=True)
    return sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features=town)


@pytest.fixture(scope="module")
def kept():
    X, y, town = table(gain=False)
    return sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features=town)


AVERAGE, ROBUST = Candidate(0.0, 0.0, 0.01), Candidate(0.5, 0.0, 0.01)


def judged(model, change, *, worst=1, noise=0.1, others=0.01, choices=(), kept_share=None):
    """Outcome and answer where the scores of the worst group, and those of the others, change so much."""
    subject = read_subject(model, None, None, None, None)
    held_out = split_rows(subject, "auto", 0)
    rng, codes = np.random.default_rng(0), held_out.rows.groups.codes
    baseline = np.where(codes == worst, 1.0, 0.5) + rng.normal(0, 0.05, codes.size)
    scatter = rng.normal(0, noise, codes.size)
    scatter -= held_out.rows.groups.mean(scatter)[codes]
    scores = baseline + np.where(codes == worst, change, others) + scatter
    at = compare(baseline, scores, held_out.rows)
    stability = None if kept_share is None else {"kept_share": kept_share, "n_choices": 50}
    return outcome_of(subject, at), answer_of(subject, Evaluation(held_out, choices=list(choices)), at, stability)


def sentences(model, change, **options):
    return judged(model, change, **options)[1]


def test_a_gain(gained):
    evidence = gained.evidence(challengers=None, n_bootstrap=20)
    first, second, third = evidence["answer"]
    row = next(row for row in evidence["groups"][1]["held_out"] if row["group"] == "town=b")
    assert evidence["outcome"] == "gain"
    assert first.startswith("The selected model helps")
    assert "town=b" in first
    assert "no part in fit or selection" in first
    assert f"{-row['change']:.3f}" in first or f"{-row['change']:.2f}" in first
    assert f"or {-100 * row['change'] / row['average_loss']:.2g} %" in first
    assert second.startswith("The price: the log loss of all rows")
    assert "of 5 folds" in third
    assert "bootstrap" in third


def test_a_gain_that_outer_rows_do_not_confirm(gained):
    outcome, (first, _, third) = judged(gained, -0.001)
    assert outcome == "not confirmed"
    assert "not confirmed" in first
    assert "chance explains" in first
    assert third.startswith("Do not count on the gain: keep the average model (--worst-weight 0 --l2 0.01;")


def test_a_choice_that_no_fold_repeats(gained):
    """The figures are those of the average model: no word of a change, and what to do."""
    outcome, (first, second, third) = judged(gained, 0.0, noise=0.0, others=0.0, choices=[AVERAGE] * 5)
    assert outcome == "not confirmed"
    assert "repeated in all 5 folds, it kept the average model" in first
    assert "those of the average model, not of the model in the file" in first
    assert "is not known" in second
    assert "--worst-weight 0" in third
    assert "was chosen in 0 of 5 folds" in third
    assert "by 0" not in first + second + third


def test_no_change_is_called_no_change(gained):
    first, second, _ = sentences(gained, 0.0, noise=0.0, others=0.0)
    assert "does not change from 1.0" in first
    assert "all rows together does not change from" in second
    assert " (0)" not in first + second


def test_folds_that_kept_the_average_model_are_counted(gained):
    first, _, third = sentences(gained, -0.2, choices=[ROBUST, AVERAGE, ROBUST, AVERAGE, AVERAGE])
    assert first.endswith("; in 3 of 5 folds the average model was kept, and these figures include it.")
    assert "another model than the average one was chosen in 2 of 5 folds" in third
    assert "folds" not in sentences(gained, -0.2, choices=[ROBUST] * 5)[0]


def test_a_gain_below_what_all_rows_lose_is_not_called_help_alone(gained):
    outcome, (first, _, third) = judged(gained, -0.05, others=0.15, noise=0.01)
    assert outcome == "costs more"
    assert first.startswith("The selected model helps that group, but the gain costs more than it brings")
    assert "only if" in third
    assert judged(gained, -0.05, others=0.02, noise=0.01)[0] == "gain"


def test_a_gain_after_which_another_group_is_worse_off_than_the_worst_was(gained):
    codes = read_subject(gained, None, None, None, None).rows.groups.codes
    others = np.where(codes == 0, 0.6, -0.4)
    outcome, (first, *_) = judged(gained, -0.5, others=others, noise=0.01)
    assert outcome == "costs more"
    assert "the gain costs more than it brings" in first
    assert "the largest one of any group goes from 1.0" in first


def test_harm_is_called_harm(gained):
    outcome, (first, _, third) = judged(gained, +0.2)
    assert outcome == "harm"
    assert "does harm" in first
    assert third.startswith("Do not count on the gain")


def test_another_group_that_becomes_the_worst_off_is_named(gained):
    outcome, (first, *_) = judged(gained, -0.6)
    assert "the largest one of any group goes from" in first
    assert first.rstrip(".").endswith(("town=a", "town=c"))
    assert outcome == "gain"


def test_an_average_model_that_is_kept_although_some_folds_chose_another(kept):
    first, _, third = sentences(kept, 0.0, choices=[ROBUST, *[AVERAGE] * 4], kept_share=0.44)
    assert first.endswith("; in 1 of 5 folds another model was chosen, and these figures include it.")
    unstable = "the choice is not stable: another model than the average one was chosen in 1 of 5 folds and in 56 % of"
    assert unstable in third
    first, _, third = sentences(kept, 0.0, choices=[AVERAGE] * 5, kept_share=0.9)
    assert "folds" not in first
    assert "stable" not in third


def test_a_group_that_pays_more_than_chance_explains_is_named(gained):
    codes = read_subject(gained, None, None, None, None).rows.groups.codes
    second = sentences(gained, -0.3, others=np.where(codes == 0, 0.04, 0.001), noise=0.2)[1]
    assert "; but town=a pays 0.04" in second
    assert second.endswith("more than chance explains.")
    assert "and so does one more group" in sentences(gained, -0.3, others=0.1)[1]
    within = sentences(gained, -0.3, others=0.001, noise=0.2)[1]
    assert "the group that pays most is town=" in within
    assert within.endswith("which chance explains.")


def test_nothing_to_gain(kept):
    evidence = kept.evidence(challengers=None, n_bootstrap=20)
    first, second, third = evidence["answer"]
    assert evidence["outcome"] == "nothing to gain"
    assert first.startswith("Nothing to gain was found, and the average model is kept")
    assert second.startswith("2 other candidates")
    assert second.endswith("so the average model stays.")
    assert third.startswith("The average model is the one to use of these")
    own = evidence["coefficients"]
    assert own["average_intercept"] is own["rows"][0]["average_model"] is None, "it would be a second fit of itself"
    average, this = evidence["challengers"][:2]
    if all(choice["worst_weight"] == 0 for choice in evidence["stability"]["fold_choices"]):
        assert this["group_losses"] == average["group_losses"], "the same model has the same figures to the last bit"
    assert all(row["change"] == 0.0 for row in evidence["groups"][1]["train"])


def test_a_worst_off_group_of_few_rows_is_named_with_them_and_with_the_next():
    X, y, groups = table(gain=False)
    # Nine rows whose targets are wrong: the worst off by far.
    town, y = groups["town"].astype(object), y.copy()
    town[:9], y[:9] = "hamlet", X[:9, 0] < 0
    model = sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features={"town": town})
    evidence = model.evidence(challengers=None, n_bootstrap=0)
    assert evidence["outcome"] == "nothing to gain"
    large = [row for row in evidence["groups"][1]["held_out"] if not row["small"] and row["group"] != "all rows"]
    next_worst = max(large, key=lambda row: row["loss"])
    assert "worst-off group is town=hamlet" in evidence["answer"][0]
    assert "it has 9 rows only, and of the groups with 2 % of the rows or more " in evidence["answer"][0]
    assert f"more {next_worst['group']} is worst off, with {next_worst['loss']:.2f}" in evidence["answer"][0]


def test_a_model_that_was_asked_for(gained):
    X, y, town = table(gain=True)
    model = sb.MinimaxClassifier(1.0).fit(X, y, sensitive_features=town)
    outcome, (first, _, third) = judged(model, -0.2)
    assert outcome == "given"
    assert first.startswith("The model that was asked for helps")
    assert "given" in third
    assert sentences(model, 0.0)[0].startswith("No gain is shown")
    first, _, third = sentences(model, -0.05, others=0.15, noise=0.01)
    assert "costs more than it brings" in first
    assert third.startswith("Keep it only if")


def test_names_in_sentences_are_short_and_keep_their_direction():
    assert in_sentence("race=black") == "race=black"
    assert len(in_sentence("x" * 10_000)) == 60
    assert in_sentence("\u05d0\u05d1") == "\u2068\u05d0\u05d1\u2069"


def test_regressors_speak_of_their_own_loss():
    X, _, town = table(gain=True)
    y = X[:, 0] + np.random.default_rng(1).standard_normal(900)
    model = sb.MinimaxRegressor(0.5).fit(X, y, sensitive_features=town)
    assert "squared error" in model.evidence(challengers=None, n_bootstrap=0)["answer"][0]


def test_comparisons_pair_rows():
    X, y, town = table(gain=True)
    subject = read_subject(sb.MinimaxClassifier(0.0).fit(X, y, sensitive_features=town), None, None, None, None)
    rng = np.random.default_rng(0)
    baseline = rng.normal(0, 10, 900)
    at = compare(baseline, baseline - 0.5, subject.rows)
    assert at.changes == pytest.approx(-0.5)
    assert at.change_errors == pytest.approx(0.0, abs=1e-12), "noise that both share does not count"
    weighted = compare(baseline, 2 * baseline, replace(subject.rows, weight=np.repeat([1.0, 2.0], 450)))
    assert weighted.average == pytest.approx(np.average(2 * baseline, weights=np.repeat([1.0, 2.0], 450)))


@pytest.mark.parametrize(
    ("lower", "noise", "said"), [(0.2, 0.05, "and for the worst-off group, by 0.19"), (0.0, 0, "")]
)
def test_a_challenger_that_is_better_for_everyone_is_named(gained, lower, noise, said):
    subject = read_subject(gained, None, None, None, None)
    evaluation = Evaluation(split_rows(subject, "auto", 0))
    rng, codes = np.random.default_rng(0), evaluation.held_out.rows.groups.codes
    own = np.where(codes == 1, 1.0, 0.5) + rng.normal(0, 0.3, codes.size)
    evaluation.scores = {"average model": own + 1, "this model": own}
    evaluation.scores["gradient boosting"] = own - lower + rng.normal(0, noise, codes.size)
    at = compare(own + 1, own, evaluation.held_out.rows)
    third = answer_of(subject, evaluation, at, None)[2]
    assert ("On the same rows gradient boosting is better for all rows" in third) == bool(said)
    assert said in third
    assert third.endswith("prefer it (--correct boosting).") == bool(said)


def test_a_better_challenger_whose_worst_group_chance_explains(gained):
    subject = read_subject(gained, None, None, None, None)
    evaluation = Evaluation(split_rows(subject, "auto", 0))
    rng, codes = np.random.default_rng(0), evaluation.held_out.rows.groups.codes
    own = np.where(codes == 1, 1.0, 0.5)
    other = own - 0.2 + np.where(codes == 1, rng.choice([-1.5, 1.5], codes.size), 0.0)
    other -= np.where(codes == 1, other[codes == 1].mean() - 0.98, 0.0)
    evaluation.scores = {"average model": own + 1, "this model": own, "gradient boosting": other}
    third = answer_of(subject, evaluation, compare(own + 1, own, evaluation.held_out.rows), None)[2]
    assert "its largest loss of a group is lower as well" in third
    assert third.endswith("though chance may explain that: consider it first (--correct boosting).")


def test_differences_within_the_tolerance_of_the_solver_are_none():
    """Separable rows without a penalty: all losses are rounding errors, and none of them is a gain."""
    rng = np.random.default_rng(0)
    X, town = rng.standard_normal((300, 2)), np.repeat(["a", "b"], 150)
    X[:, 0] += np.where(X[:, 0] > 0, 1.0, -1.0)
    model = sb.MinimaxClassifier(worst_weight=0.5, l2=0.0).fit(X, X[:, 0] > 0, sensitive_features={"town": town})
    evidence = model.evidence(challengers=None, n_bootstrap=0, folds=2)
    assert "helps" not in evidence["answer"][0]
    assert "harm" not in evidence["answer"][0]
