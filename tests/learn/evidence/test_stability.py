"""Bootstrap of the binding groups and of the choice."""

from __future__ import annotations

import re

import numpy as np
import pytest

import saddleback as sb
from learn.evidence.models import evidence_of, fitted
from saddleback.learn.evidence.resampling import Strata, resampled_choices, scored_rows
from saddleback.learn.evidence.subject import read_subject
from saddleback.learn.fitting.candidate import Candidate
from saddleback.learn.groups import read_sensitive_features
from saddleback.learn.selection.choosing import choose_candidate

CHOICE = {"worst_weights": [0, 0.25, 0.5, 1], "priors": [0, 1], "l2s": [0.01, 0.1], "cv": 3, "repeats": 1}


def table(seed: int, gain: bool):
    rng = np.random.default_rng(seed)
    X, town = rng.standard_normal((800, 3)), rng.choice(["a", "b", "c"], 800, p=[0.6, 0.3, 0.1])
    eta = 1.5 * X[:, 0] * np.where(town == "b", -1.0, 1.0) + X[:, 1] if gain else X[:, 0]
    return X, eta + rng.logistic(size=800) > 0, town


def scored(model):
    trained = read_subject(model, None, None, None, None).trained
    columns = (model.selection_.candidates[name].tolist() for name in ("worst_weight", "prior", "l2"))
    return trained.scores.astype(np.float64), [Candidate(*values) for values in zip(*columns, strict=True)], trained


def test_resamples_keep_the_size_of_every_stratum():
    labels = np.repeat(["a", "b", "c"], [5, 90, 1])
    for crossed in (True, False):
        both = {"x": labels, "y": np.arange(96) % 2}
        groups = read_sensitive_features(both, 96, crossed=crossed)
        strata, rng = Strata.of(groups), np.random.default_rng(0)
        draws = [strata.draw(rng) for _ in range(20)]
        assert all(np.array_equal(groups.subset(draw).sizes, groups.sizes) for draw in draws)
        assert len({tuple(draw) for draw in draws}) == 20
        assert np.unique(np.concatenate(draws)).size == 96


def test_standard_errors_of_resamples_are_those_of_the_rows():
    """Repeated rows count as rows of their own; as weights they would count for sqrt(2) of the error."""
    X, y, town = table(0, gain=True)
    scores, _, trained = scored(sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features=town))
    rows = scored_rows(trained)
    own = choose_candidate(scores, rows, 0, "one_se")
    strata, rng = Strata.of(rows.groups), np.random.default_rng(0)
    ratios, weighted = [], []
    for _ in range(100):
        index = strata.draw(rng)
        drawn = choose_candidate(scores[index], rows.subset(index), 0, "one_se")
        if drawn.group != own.group:
            continue
        ratios.append(drawn.gain_errors[-1] / own.gain_errors[-1])
        kept, times = np.unique(index, return_counts=True)
        by_weight = rows.subset(kept)
        by_weight = type(by_weight)(by_weight.X, by_weight.y, by_weight.groups, times.astype(float))
        other = choose_candidate(scores[kept], by_weight, 0, "one_se")
        assert other.gains[-1] == pytest.approx(drawn.gains[-1])
        weighted.append(other.gain_errors[-1] / own.gain_errors[-1])
    assert len(ratios) > 90
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.05)
    assert np.mean(weighted) == pytest.approx(np.sqrt(2.0), abs=0.1)


def test_a_strong_gain_is_chosen_again_and_nothing_is_not():
    shares = {True: [], False: []}
    for gain, kept_shares in shares.items():
        for seed in range(4):
            X, y, town = table(seed, gain)
            model = sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features=town)
            scores, candidates, trained = scored(model)
            chosen, kept = resampled_choices(
                scores, candidates, scored_rows(trained), "one_se", 30, np.random.default_rng(0)
            )
            kept_shares.append(np.mean(kept))
            assert all(candidates[c].is_average for c, taken in zip(chosen, kept, strict=True) if taken)
    assert max(shares[True]) < 0.2, "most resamples choose p > 0"
    # The rule takes a candidate for nothing on one table of twenty; there most resamples do so, too.
    assert np.median(shares[False]) > 0.8


def test_the_group_that_binds():
    X, y, town = table(0, gain=True)
    model = sb.MinimaxClassifier(1.0, l2=0.01).fit(X, y, sensitive_features={"town": town})
    stability = model.evidence(challengers=None, folds=2, n_bootstrap=20)["stability"]
    binding = {entry["group"]: entry for entry in stability["binding"]}
    assert binding["town=b"]["share"] == 1.0
    assert "binds" not in stability["words"]
    assert sum(entry["weight"] for entry in binding.values()) == pytest.approx(1.0)
    assert [binding[f"town={name}"]["weight"] for name in "abc"] == pytest.approx(model.group_weights_)
    assert stability["choices"] is stability["kept_share"] is stability["fold_choices"] is None
    assert stability["n_bootstrap"] == 20


def test_weights_of_a_mixture_are_those_of_its_adversary():
    model = fitted("classifier")
    shares = model.group_sizes_ / model.group_sizes_.sum()
    expected = (model.group_weights_ - 0.5 * shares) / 0.5
    binding = {entry["group"]: entry["weight"] for entry in evidence_of("classifier")["stability"]["binding"]}
    names = [f"town={town}, sex={sex}" for town, sex in model.group_names_]
    assert [binding[name] for name in names] == pytest.approx(expected)


def test_the_average_model_has_a_worst_off_group_in_every_resample():
    X, y, town = table(0, gain=False)
    model = sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features=town)
    stability = model.evidence(challengers=None, folds=2, n_bootstrap=20)["stability"]
    assert sum(entry["share"] for entry in stability["binding"]) == pytest.approx(1.0)
    assert all(entry["weight"] is None for entry in stability["binding"])
    assert "is the worst off" in stability["words"]
    assert sum(choice["share"] for choice in stability["choices"]) == pytest.approx(1.0)
    assert stability["n_choices"] == 20
    assert re.search(
        r"Repeated on 20 bootstrap .* the rule keeps the average model in \d+ % of these", stability["words"]
    )
    assert len(stability["fold_choices"]) == 2


def test_the_share_of_the_chosen_point_is_its_own():
    X, y, town = table(0, gain=True)
    model = sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features=town)
    evidence = model.evidence(challengers=None, folds=2, n_bootstrap=40)
    stability, point = evidence["stability"], tuple(evidence["objective"][name] for name in ("worst_weight", "prior"))
    shares = {(choice["worst_weight"], choice["prior"]): choice["share"] for choice in stability["choices"]}
    assert stability["chosen_share"] == shares[point]
    assert stability["chosen_share"] + stability["kept_share"] <= 1.0


def test_an_average_model_is_kept_whatever_its_penalty():
    """The two penalties are equally good on average, and the rule takes that with the lower largest loss."""
    X, y, town = table(0, gain=False)
    model = sb.MinimaxClassifierCV(worst_weights=[0], priors=[0], l2s=[0.001, 0.003, 0.3], cv=3, repeats=1, rule="best")
    model.fit(X, y, sensitive_features=town)
    scores, candidates, trained = scored(model)
    rows, rng = scored_rows(trained), np.random.default_rng(0)
    chosen, kept = resampled_choices(scores, candidates, rows, "best", 30, rng)
    assert len(set(chosen)) > 1, "the penalty changes from one resample to another"
    assert all(kept)
    stability = model.evidence(challengers=None, folds=2, n_bootstrap=30)["stability"]
    assert stability["kept_share"] == 1.0
    assert [choice["share"] for choice in stability["choices"]] == [1.0]


@pytest.mark.parametrize("budget", [0, 10**9])
def test_the_shares_of_choices_are_of_as_many_resamples_as_are_told(monkeypatch, budget):
    """Fewer refits than choices: every share is a whole number of the resamples that stand beside it."""
    monkeypatch.setattr("saddleback.learn.evidence.stability.REFIT_NUMBERS", budget)
    X, y, town = table(0, gain=True)
    model = sb.MinimaxClassifierCV(**CHOICE).fit(X, y, sensitive_features=town)
    evidence = model.evidence(challengers=None, folds=2, n_bootstrap=30)
    stability = evidence["stability"]
    n_refits, n_choices = stability["n_bootstrap"], stability["n_choices"]
    assert (n_refits, n_choices) == (10 if budget == 0 else 30, 30)
    for shares, n in (("binding", n_refits), ("choices", n_choices)):
        times = np.array([entry["share"] * n for entry in stability[shares]])
        assert times == pytest.approx(np.round(times))
    assert f"% of {n_refits} bootstrap resamples of the rows" in stability["words"]
    average = [c["share"] for c in stability["choices"] if (c["worst_weight"], c["prior"]) == (0.0, "shares")]
    assert stability["kept_share"] == pytest.approx(sum(average))
    assert f"of {n_choices} bootstrap resamples" in evidence["answer"][2]


@pytest.mark.parametrize("kind", ["corrected classifier", "corrected regressor"])
def test_a_model_left_alone_is_no_correction_with_the_worst_weight_0(kind):
    stability = fitted(kind).evidence(challengers=None, folds=2, n_bootstrap=30)["stability"]
    assert 0.0 < stability["kept_share"] < 1.0
    alone = [choice["share"] for choice in stability["choices"] if choice["prior"] == "no correction"]
    assert stability["kept_share"] == pytest.approx(sum(alone))
