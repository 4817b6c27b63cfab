"""The one-standard-error rule: what it must not depend on, what it must leave alone, what it must take."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from saddleback.learn.selection.one_se import FEWEST_ROWS, LEVEL, RESOLUTION, Choice, choose_one_se
from saddleback.learn.selection.sample import Sample, simultaneous_quantile, skewness_allowance
from saddleback.losses.grouped.memberships import Memberships

SIZES = (60, 200, 740)


def partition(groups, weights=None):
    weights = np.ones(len(groups)) if weights is None else weights
    names = list(range(int(groups.max()) + 1))
    return Memberships.of(len(groups), names, np.arange(len(groups)), groups.astype(np.intp), weights)


def table(seed, gain=0.0, price=0.0, n_candidates=12, sizes=SIZES, spread=0.3):
    """Losses in which candidates 1, 2, ... help group 0, the worst one, more and more, at a price for the others."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    base = rng.gamma(2.0, 0.25, len(groups)) + 0.5 * (groups == 0)
    strength = np.linspace(0.0, 1.0, n_candidates)
    change = np.where(groups == 0, -gain, price)[:, None] * strength
    # A direction in common and one of its own: candidates resemble each other, as models of a path do.
    noise = rng.standard_normal((len(groups), 1)) + 0.5 * rng.standard_normal((len(groups), n_candidates))
    return base[:, None] + change + spread * strength * noise, groups


def assert_equal(left: Choice, right: Choice, unit: float = 1.0):
    assert left.chosen == right.chosen
    assert left.group == right.group
    np.testing.assert_array_equal(left.confirmed, right.confirmed)
    np.testing.assert_array_equal(left.admissible, right.admissible)
    for name in ("worst_losses", "average_losses", "gains", "gain_errors", "prices"):
        np.testing.assert_allclose(unit * getattr(left, name), getattr(right, name), rtol=1e-9, atol=1e-12 * unit)
    np.testing.assert_allclose(left.quantile, right.quantile, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unit", [2.0**-40, 1e6])
def test_unit_of_losses_and_of_weights_does_not_matter(seed, unit):
    losses, groups = table(seed, gain=0.2, price=0.02)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, len(groups))
    choice = choose_one_se(losses, partition(groups, weights), 0, row_weights=weights)
    assert choice.chosen != 0
    assert_equal(choice, choose_one_se(unit * losses, partition(groups, weights), 0, row_weights=weights), unit)
    assert_equal(choice, choose_one_se(losses, partition(groups, unit * weights), 0, row_weights=unit * weights))


@pytest.mark.parametrize("seed", range(3))
def test_weight_two_is_the_row_twice_in_one_cluster(seed):
    losses, groups = table(seed, gain=0.2, price=0.02)
    weights = np.random.default_rng(seed).integers(1, 4, len(groups))
    twice = np.repeat(np.arange(len(groups)), weights)
    weighted = choose_one_se(losses, partition(groups, weights.astype(float)), 0, row_weights=weights.astype(float))
    repeated = choose_one_se(losses[twice], partition(groups[twice]), 0, clusters=twice)
    assert_equal(weighted, repeated)


def test_rows_of_weight_zero_and_rows_without_scores_do_not_count():
    losses, groups = table(0, gain=0.2, price=0.02)
    extra = np.vstack([losses, np.full((5, 12), 1e9), np.full((5, 12), np.nan)])
    weights = np.r_[np.ones(len(groups)), np.zeros(5), np.ones(5)]
    more = partition(np.r_[groups, np.zeros(10)], weights)
    assert_equal(choose_one_se(losses, partition(groups), 0), choose_one_se(extra, more, 0, row_weights=weights))


@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_groups_and_candidates_does_not_matter(seed):
    losses, groups = table(seed, gain=0.2, price=0.02)
    rng = np.random.default_rng(seed)
    rows, names, columns = rng.permutation(len(groups)), rng.permutation(len(SIZES)), rng.permutation(12)
    choice = choose_one_se(losses, partition(groups), 0)
    other = choose_one_se(losses[rows][:, columns], partition(names[groups[rows]]), int(np.argsort(columns)[0]))
    assert columns[other.chosen] == choice.chosen
    assert other.group == names[choice.group]
    np.testing.assert_allclose(other.quantile, choice.quantile, rtol=1e-9)
    np.testing.assert_array_equal(other.confirmed, choice.confirmed[columns])


def test_two_runs_give_equal_bytes():
    losses, groups = table(0, gain=0.2, price=0.02)
    one, two = (choose_one_se(losses, partition(groups), 0) for _ in range(2))
    for field in fields(Choice):
        assert np.asarray(getattr(one, field.name)).tobytes() == np.asarray(getattr(two, field.name)).tobytes()


@pytest.mark.parametrize("sizes", [(30, 100, 900), (400, 400), (20,) * 20, (800, 60)])
def test_average_model_is_left_rarely_where_nothing_is_to_gain(sizes):
    """At most ``LEVEL`` of 200 tables, and three standard errors of that share: 5 % + 4.6 %."""
    left = sum(
        choose_one_se(losses, partition(groups), 0).chosen != 0
        for losses, groups in (table(seed, sizes=sizes) for seed in range(200))
    )
    assert left / 200 <= LEVEL + 3.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / 200)


def test_large_gain_is_taken():
    taken = [choose_one_se(*_with_partition(seed, gain=0.3, price=0.01), 0) for seed in range(20)]
    assert all(choice.chosen != 0 for choice in taken)
    for choice in taken:
        chosen = choice.chosen
        assert choice.gains[chosen] - choice.quantile * choice.gain_errors[chosen] >= choice.prices[chosen]


def test_gain_that_does_not_pay_its_price_is_refused():
    """The worst group gains 0.3 for certain; the other 94 % of the rows lose 0.5 each."""
    assert all(choose_one_se(*_with_partition(seed, gain=0.3, price=0.5), 0).chosen == 0 for seed in range(20))


def test_the_rule_of_one_error_compares_candidates_row_by_row():
    """Two candidates whose losses are noisy alike: a difference of 0.02 is many of its own errors, though much less
    than the error of either. The other one is better on average, and would be taken if errors were not paired."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1], [400, 600])
    base = rng.gamma(1.0, 1.0, 1000) + 2.0 * (groups == 0)
    noise = 0.01 * rng.standard_normal((1000, 2))
    best, other = base - 1.0 * (groups == 0), base - 0.98 * (groups == 0) - 0.1 * (groups == 1)
    choice = choose_one_se(np.column_stack([base, best + noise[:, 0], other + noise[:, 1]]), partition(groups), 0)
    assert choice.confirmed.tolist() == [False, True, True]
    assert choice.admissible.tolist() == [False, True, False]
    assert choice.chosen == 1


def test_nothing_is_gained_where_another_group_becomes_as_bad():
    losses, groups = table(0, gain=0.3, spread=0.01)
    losses[groups == 1, 1:] = losses[groups == 0, :1].mean()
    choice = choose_one_se(losses, partition(groups), 0)
    assert choice.chosen == 0
    assert (choice.worst_groups[1:] == 1).all()
    assert np.abs(choice.gains).max() <= 1e-12


def test_of_equal_candidates_the_first_is_taken():
    losses, groups = table(0, gain=0.3, price=0.01)
    doubled = np.hstack([losses, losses])
    choice = choose_one_se(doubled, partition(groups), 0)
    assert choice.chosen == choose_one_se(losses, partition(groups), 0).chosen
    assert choice.admissible[choice.chosen + 12]


@pytest.mark.parametrize("seed", range(5))
def test_tolerances_of_the_fits_do_not_decide_among_equal_candidates(seed):
    losses, groups = table(1, gain=0.5)
    twice = np.concatenate([losses, losses[:, 1:]], axis=1)
    chosen = choose_one_se(losses, partition(groups), 0)
    disturbed = twice * (1.0 + 0.1 * RESOLUTION * np.random.default_rng(seed).uniform(-1.0, 1.0, twice.shape[1]))
    again = choose_one_se(disturbed, partition(groups), 0)
    assert (again.chosen, again.best) == (chosen.chosen, chosen.best)


def test_average_model_wins_ties():
    losses, groups = table(0)
    same = np.repeat(losses[:, :1], 5, axis=1)
    choice = choose_one_se(same, partition(groups), 3)
    assert choice.chosen == 3
    # Below the tolerance of the fits.
    same[:, 1] -= 1e-9 * (1.0 + np.random.default_rng(0).random(len(groups)))
    assert choose_one_se(same, partition(groups), 3).chosen == 3


def test_one_group_has_nothing_to_gain():
    losses, groups = table(0, gain=0.3)
    assert choose_one_se(losses, partition(np.zeros_like(groups)), 0).chosen == 0


@pytest.mark.parametrize("n_worst", [1, 2, FEWEST_ROWS - 1])
def test_group_of_few_rows_confirms_nothing(n_worst):
    losses, groups = table(1, gain=0.3, price=0.0, sizes=(n_worst, 300, 700), spread=0.05)
    losses[groups == 0] += 2.0
    choice = choose_one_se(losses, partition(groups), 0)
    assert choice.group == 0
    assert choice.chosen == 0


def test_few_rows_that_lose_much_are_allowed_for():
    """Four rows of five gain 0.25, one loses 1: nothing on average, but many samples of 40 rows seem to gain."""

    def left(seed):
        rng = np.random.default_rng(seed)
        groups = np.repeat([0, 1], [40, 400])
        average = 2.0 * (groups == 0) + rng.random(440)
        change = np.where(rng.random((440, 5)) < 0.8, -0.25, 1.0) * (groups == 0)[:, None]
        return choose_one_se(np.column_stack([average, average[:, None] + change]), partition(groups), 0).chosen != 0

    share = np.mean([left(seed) for seed in range(200)])
    assert share <= LEVEL + 3.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / 200)
    errors = np.array([[-3.0, 3.0], [1.0, -1.0], [1.0, -1.0], [1.0, -1.0]])
    allowance = skewness_allowance(errors, 2.0)
    assert allowance[0] == pytest.approx(24.0 / 12.0**1.5 * 9.0 / 6.0)
    assert allowance[1] == 0.0


def test_candidate_without_finite_losses_is_never_taken():
    losses, groups = table(0, gain=0.3, price=0.01)
    best = choose_one_se(losses, partition(groups), 0).chosen
    losses[-1, best] = np.inf
    choice = choose_one_se(losses, partition(groups), 0)
    assert choice.chosen not in (0, best)
    assert not choice.confirmed[best]
    losses[0, 0] = np.inf
    assert choose_one_se(losses, partition(groups), 0).chosen == 0


def test_overlapping_groups():
    """A row in two groups counts in both; the worst one is found among all."""
    losses, groups = table(0, gain=0.3, price=0.01)
    rows = np.r_[np.arange(len(groups)), np.flatnonzero(groups == 1)]
    labels = np.r_[groups, np.full(SIZES[1], 3)].astype(np.intp)
    overlapping = Memberships.of(len(groups), [0, 1, 2, 3], rows, labels, np.ones(len(rows)))
    assert_equal(choose_one_se(losses, partition(groups), 0), choose_one_se(losses, overlapping, 0))


def test_clusters_of_equal_rows_have_the_error_of_one_row_each():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((50, 3))
    single = Sample.of(np.arange(50), np.ones(50), None)
    fourfold = Sample.of(np.arange(200), np.ones(200), np.repeat(np.arange(50), 4))
    expected = values.std(axis=0, ddof=1) / np.sqrt(50)
    np.testing.assert_allclose(single.standard_errors(values), expected, rtol=1e-12)
    np.testing.assert_allclose(fourfold.standard_errors(np.repeat(values, 4, axis=0)), expected, rtol=1e-12)
    assert fourfold.effective_size == single.effective_size == 50.0


def test_quantile_of_one_and_of_independent_candidates():
    """Normal quantiles of 5 % and of 1 - 0.95^(1/20); 4,000 draws know them to 0.03; 0.1 is allowed."""
    errors = np.linalg.qr(np.random.default_rng(0).standard_normal((500, 20)))[0]
    assert simultaneous_quantile(errors[:, :1], 0.05, np.inf) == pytest.approx(1.645, abs=0.1)
    assert simultaneous_quantile(errors, 0.05, np.inf) == pytest.approx(2.799, abs=0.1)
    assert simultaneous_quantile(np.repeat(errors[:, :1], 20, axis=1), 0.05, np.inf) == pytest.approx(1.645, abs=0.1)
    assert simultaneous_quantile(errors[:, :1], 0.05, 4.0) == pytest.approx(2.132, abs=0.2)


def _with_partition(seed, **arguments):
    losses, groups = table(seed, **arguments)
    return losses, partition(groups)
