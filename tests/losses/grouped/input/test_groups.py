"""Labels, memberships and weights."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import saddleback as sb

from ..cases import assert_same, make

N, J = 203, 4


NAMES = {
    "integers": [0, 1, 2, 3],
    "floats": [-1.5, 0.0, 2.0, np.inf],
    "strings": ["a", "b", "c", "d"],
    "bytes": [b"a", b"b", b"c", b"d"],
    "tuples": [("a", 1), ("a", 2), ("b", 1), ("b", 2)],
    "dates": [date(2020, 1, k) for k in range(1, 5)],
    "types that do not compare": [2, "a", ("b", 1), 1.5],
    "sets": [frozenset({k}) for k in range(4)],
}


def _objects(labels):
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


CONTAINERS = {"list": list, "tuple": tuple, "object array": _objects, "series": pd.Series, "array": np.array}
OF_ONE_TYPE = ("integers", "floats", "strings", "bytes")


@pytest.mark.parametrize(
    ("kind", "container"), [(k, c) for k in NAMES for c in CONTAINERS if c != "array" or k in OF_ONE_TYPE]
)
def test_labels(kind, container):
    case = make("squared")
    names = NAMES[kind]
    labels = CONTAINERS[container]([names[j] for j in case.groups])
    losses = case.losses(groups=labels)
    assert losses.group_names == names, "sorted where possible, else in order of appearance, which is the same here"
    assert [type(name) for name in losses.group_names] == [type(name) for name in names]
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], case.reference().jacobian(w))


def test_sorted_and_in_order_of_appearance():
    y = np.arange(4.0)
    assert sb.GroupedLinear(np.ones((4, 1)), y, ["b", "a", "c", "a"], loss="squared").group_names == ["a", "b", "c"]
    assert sb.GroupedLinear(np.ones((4, 1)), y, ["b", 3, ("x",), 3], loss="squared").group_names == ["b", 3, ("x",)]


def test_categorical_levels_keep_their_order():
    case = make("squared")
    names = ["z", "m", "a", "q"]
    labels = pd.Categorical([names[j] for j in case.groups], categories=names)
    for groups in (labels, pd.Series(labels)):
        assert case.losses(groups=groups).group_names == names


def test_data_frame():
    case = make("logistic")
    frame = pd.DataFrame(case.X)
    losses = sb.GroupedLinear(frame, pd.Series(case.y), pd.Series(case.groups), sample_weight=pd.Series(np.ones(N)))
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], case.reference(fit_intercept=True).jacobian(w))
    memberships = pd.DataFrame(np.eye(J, dtype=bool)[case.groups], columns=["a", "b", "c", "d"])
    assert case.losses(groups=memberships).group_names == ["a", "b", "c", "d"]


@pytest.mark.parametrize("kind", [np.asarray, lambda m: m.tolist(), sp.csr_array])
def test_integers_of_zero_and_one_are_memberships(kind):
    case = make("squared")
    m = (case.rng.random((N, J)) < 0.5).astype(int)
    m[:, 0] |= m.sum(axis=1) == 0
    w = case.point(case.losses())
    assert_same(case.losses(groups=kind(m)).evaluate(w)[1], case.reference(m=m).jacobian(w))


def test_rows_in_no_group_where_zeros_and_ones_cannot_be_labels():
    """Booleans and sparse matrices are memberships; two attributes of 0 and 1 are refused elsewhere."""
    case = make("squared")
    m = (case.rng.random((N, 2)) < 0.3).astype(int)
    assert (m.sum(axis=1) == 0).any()
    w = case.point(case.losses())
    for groups in (m.astype(bool), sp.csr_array(m), m.astype(float)):
        assert_same(case.losses(groups=groups).evaluate(w)[1], case.reference(m=m).jacobian(w))


@pytest.mark.parametrize("kind", [np.asarray, lambda m: m.tolist(), sp.csr_matrix, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("d", [7, 90])
@pytest.mark.parametrize("share", [0.3, 0.95], ids=["some overlap", "much overlap"])
@pytest.mark.parametrize("weighted", [False, True])
def test_memberships(d, share, weighted, kind):
    case = make("logistic", d=d)
    m = case.rng.random((N, J)) < share
    m[10:20] = False
    if weighted:
        m = m * case.rng.random((N, J))
    weight = case.rng.random(N)
    weight[30:50] = 0.0
    losses = case.losses(groups=kind(m), sample_weight=weight, l2=0.2, fit_intercept=True, n_threads=2)
    reference = case.reference(m=m, sample_weight=weight, l2=0.2, fit_intercept=True)
    w, lam = case.point(losses), np.array([0.1, 0.0, 0.6, 0.3])
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w))
    assert_same(G, reference.jacobian(w))
    assert_same(losses.hessian(w, lam), reference.hessian(w, lam))
    total = m * weight[:, None]
    np.testing.assert_array_equal(losses.group_sizes, (total > 0).sum(axis=0))
    np.testing.assert_allclose(losses.group_weights, total.sum(axis=0))


def test_sparse_table_with_overlapping_groups():
    case = make("logistic", d=30)
    case.X[case.X < 0.5] = 0.0
    m = case.rng.random((N, J)) < 0.6
    losses = case.losses(sp.csr_array(case.X), m, n_threads=2)
    reference = case.reference(m=m)
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], reference.jacobian(w))


def test_one_column_of_equal_numbers_is_one_group():
    case = make("squared")
    one = case.losses(groups=np.ones((N, 1)))
    assert one.n_losses == 1
    w = case.point(one)
    assert_same(one.values(w), case.losses(groups=["all"] * N).values(w))


@pytest.mark.parametrize("d", [5, 90])
def test_groups_of_one_and_of_ten_thousand_rows(d):
    case = make("logistic", n=10_003, d=d, n_groups=3)
    case.groups[3:] = 2
    losses, reference = case.losses(n_threads=2), case.reference()
    w = case.point(losses)
    f, G = losses.evaluate(w)
    # n eps/2 of a sum of n positive terms that is not reordered, relative.
    assert_same(f, reference.values(w), 10_000 * np.finfo(float).eps)
    assert_same(G, reference.jacobian(w), 10_000 * np.finfo(float).eps)
    assert losses.group_sizes.tolist() == [1, 1, 10_001]


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_only_relative_weights_count(scale):
    case = make("squared")
    weight = case.rng.random(N) + 0.5
    w = case.point(case.losses())
    assert_same(case.losses(sample_weight=scale * weight).values(w), case.losses(sample_weight=weight).values(w))


def test_weight_two_is_the_row_twice():
    case = make("logistic")
    weight = np.where(np.arange(N) < 50, 2.0, 1.0)
    twice = np.concatenate([np.arange(N), np.arange(50)])
    other = sb.GroupedLinear(case.X[twice], case.y[twice], case.groups[twice], fit_intercept=False)
    w = case.point(other)
    assert_same(case.losses(sample_weight=weight).evaluate(w)[1], other.evaluate(w)[1])


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["no", "yes"], ["no", "yes"]),
        ([True, False], [False, True]),
        ([5, -3], [-3, 5]),
        ([0.5, 0.25], [0.25, 0.5]),
        ([("b", 1), ("a", 2)], [("a", 2), ("b", 1)]),
        (["x", 3], ["x", 3]),
    ],
)
def test_the_second_class_is_the_positive_one(labels, classes):
    losses = sb.GroupedLinear(np.ones((4, 1)), [labels[i] for i in (0, 1, 1, 0)], [0, 0, 1, 1], fit_intercept=True)
    assert losses.classes == classes
    positive = sb.GroupedLinear(np.ones((1, 1)), [1.0], [0], loss="squared")
    assert positive.classes is None
    f = losses.values(np.array([0.0, 10.0]))
    assert np.isfinite(f).all()
    own = sb.GroupedLinear(np.ones((2, 1)), labels, [0, 1], fit_intercept=False).values(np.array([10.0]))
    assert own[labels.index(classes[1])] < 1e-4
    assert own[labels.index(classes[0])] > 9.0


@pytest.mark.parametrize("ordered", [False, True])
def test_classes_of_a_categorical_column_keep_its_order(ordered):
    y = pd.Categorical(["low", "high", "high", "low"], ["low", "high", "unheard of"], ordered=ordered)
    for labels in (y, pd.Series(y)):
        assert sb.GroupedLinear(np.ones((4, 1)), labels, [0, 0, 1, 1]).classes == ["low", "high"]


def test_an_intercept_is_fitted_unless_it_is_declined():
    case = make("logistic")
    assert sb.GroupedLinear(case.X, case.y, case.groups).n_params == 8
    for no in (False, np.False_):
        assert sb.GroupedLinear(case.X, case.y, case.groups, fit_intercept=no).n_params == 7


def test_facts():
    case = make("logistic")
    losses = case.losses(sp.csr_array(case.X))
    assert (losses.n_samples, losses.n_features, losses.n_entries) == (N, 7, case.X.size)
    assert (losses.n_losses, losses.n_params) == (J, 7)
    assert isinstance(losses, sb.Losses)
    assert repr(losses) == "GroupedLinear(203 x 7, 4 groups, loss=Logistic(), l2=0)"
    np.testing.assert_array_equal(losses.group_sizes, np.bincount(case.groups))


def test_memberships_of_half_precision():
    case = make("logistic")
    memberships = (np.eye(4) + 0.5)[case.groups]
    w = case.point(case.losses())
    half = case.losses(groups=memberships.astype(np.float16))
    assert_same(half.evaluate(w)[1], case.losses(groups=memberships).evaluate(w)[1])


def test_other_rows_with_too_many_columns_of_groups():
    case = make("logistic")
    n = len(case.groups)
    wide = sp.coo_array((np.ones(n), (np.arange(n), case.groups)), shape=(n, 2**40))
    with pytest.raises(sb.ProblemError, match="the 4 groups that the losses were made with; got 1099511627776 columns"):
        case.losses(groups=np.eye(4)[case.groups]).on(case.X, case.y, wide)
