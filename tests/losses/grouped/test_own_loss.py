"""A user's own pointwise loss: all layouts and capabilities, and checks of what it returns."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from types import SimpleNamespace

import autograd
import autograd.numpy as anp
import numpy as np
import pytest

import saddleback as sb
from saddleback.capabilities import lack, offers
from saddleback.losses import Huber, Logistic, PointwiseLoss, Softmax, Squared
from saddleback.losses.base import HasHessian, HasSampledHessian, HasSmoothness
from saddleback.losses.grouped import own_loss
from saddleback.losses.grouped.pointwise_losses import LOSSES
from saddleback.losses.grouped.tables import mapped_table

from .cases import assert_same, make
from .own_losses import OWN, Cauchy, Foreign, LogCosh
from .reference import POINTWISE
from .tables.test_layouts import LAYOUTS, NARROW, WIDE

SCALAR = [name for name in LOSSES if name != "softmax"]
LAM = np.array([0.7, -0.4, 0.0, 0.3])


def own(case, loss, X=None, groups=None, *, fit_intercept=False, **options):
    X, groups = case.X if X is None else X, case.groups if groups is None else groups
    return sb.GroupedLinear(X, case.y, groups, loss=loss, fit_intercept=fit_intercept, **options)


def assert_is_reference(losses, reference, w, rounding=1e-12):
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w), rounding)
    assert_same(G, reference.jacobian(w), rounding)
    assert_same(losses.values(w), f, rounding)
    assert_same(losses.hessian(w, LAM), reference.hessian(w, LAM), rounding)


# --- our losses in NumPy ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
def test_our_losses_in_numpy_are_the_formulas(name):
    case = make(name, n=300)
    eta = 3.0 * case.rng.standard_normal((300, 3) if name == "softmax" else 300)
    value, slope = LOSSES[name].value_and_slope(eta, case.numbers)
    np.testing.assert_allclose(value, POINTWISE[name](eta, case.numbers), rtol=1e-12, atol=1e-13)
    total = autograd.grad(lambda e: anp.sum(POINTWISE[name](e, case.numbers)))
    np.testing.assert_allclose(slope, total(eta), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("scale", [0.1, 10.0, 100.0])
@pytest.mark.parametrize("layout", ["C", "csr"])
@pytest.mark.parametrize("name", SCALAR)
def test_the_compiled_losses_are_those_in_numpy(name, layout, scale):
    """Values, gradients and curvature, with margins up to some hundred."""
    case = make(name, n=400, d=9)
    X = LAYOUTS[layout](case.X)
    compiled, plain = (
        case.losses(X, l2=0.1, fit_intercept=True),
        own(case, Foreign(name), X, l2=0.1, fit_intercept=True),
    )
    w = case.point(compiled, scale)
    for ours, other in zip(compiled.evaluate(w), plain.evaluate(w), strict=True):
        assert_same(other, ours, 1e-12)
    assert_same(plain.hessian(w, LAM), compiled.hessian(w, LAM), 1e-12)


# --- all layouts ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [NARROW, WIDE])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, d, dtype, name):
    loss, formula = OWN[name]
    case = make("squared", d=d, dtype=dtype)
    case.X[case.X < -1.0] = 0.0
    losses = own(case, loss, LAYOUTS[layout](case.X), l2=0.3, fit_intercept=True)
    reference = case.reference(l2=0.3, fit_intercept=True, pointwise=formula)
    assert_is_reference(losses, reference, case.point(losses, 3.0))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_mapped(tmp_path, monkeypatch, order, n_threads):
    monkeypatch.setattr(mapped_table, "PIECE_BYTES", 16 * 1024)
    case = make("squared", n=1003, d=9)
    np.save(tmp_path / "X.npy", np.asarray(case.X, order=order))
    losses = own(case, LogCosh(), np.load(tmp_path / "X.npy", mmap_mode="r"), fit_intercept=True, n_threads=n_threads)
    assert len(losses._passes.reader.plan.stages) > 1
    reference = case.reference(fit_intercept=True, pointwise=OWN["logcosh"][1])
    assert_is_reference(losses, reference, case.point(losses))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("d", [7, 140])
@pytest.mark.parametrize("layout", ["C", "csc"])
def test_overlapping_groups_weights_and_threads(layout, d, n_threads):
    case = make("squared", n=800, d=d)
    m, weight = case.rng.random((800, 4)) * (case.rng.random((800, 4)) < 0.4), case.rng.integers(0, 3, 800) / 2.0
    options = {"l2": 0.1, "fit_intercept": True, "sample_weight": weight}
    losses = own(case, Cauchy(), LAYOUTS[layout](case.X), m, n_threads=n_threads, **options)
    w = case.point(losses)
    assert_is_reference(losses, case.reference(m=m, pointwise=OWN["cauchy"][1], **options), w)
    f, G = losses.evaluate(w)
    for other in (losses, pickle.loads(pickle.dumps(losses)), copy.deepcopy(losses)):
        np.testing.assert_array_equal(other.evaluate(w)[0], f)
        np.testing.assert_array_equal(other.evaluate(w)[1], G)


def test_many_calls_are_the_same_as_one(monkeypatch):
    case = make("squared", n=500)
    losses = own(case, LogCosh())
    w = case.point(losses)
    G = losses.evaluate(w)[1]
    monkeypatch.setattr("saddleback.losses.grouped.reader.ROWS_PER_CALL", 7)
    np.testing.assert_array_equal(losses.evaluate(w)[1], G)


# --- capabilities ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["logistic", "huber"])
def test_sampled_hessian_and_smoothness(name):
    case = make(name, n=12_000, d=25)
    compiled, plain = case.losses(l2=0.1), own(case, Foreign(name), l2=0.1)
    w, V = case.point(compiled), case.rng.standard_normal((3, 25))
    for directions in (V, None):
        estimate = compiled.sampled_hessian(w, LAM, directions)
        assert_same(plain.sampled_hessian(w, LAM, directions), estimate)
    assert plain.smoothness() == compiled.smoothness()


def test_a_bound_on_the_curvature_is_the_users_to_give():
    case = make("squared")
    assert own(case, LogCosh()).smoothness() == pytest.approx(own(case, Squared()).smoothness() / 2)
    assert lack(own(case, Cauchy()), HasSmoothness) == "the loss Cauchy() has no smoothness constant"


def test_convexity_is_the_users_to_declare():
    case = make("squared")
    assert own(case, LogCosh(), l2=0.5).convex is True
    assert own(case, LogCosh(), l2=0.5).strong_convexity == 0.5
    for l2 in (0.0, 0.5):
        losses = own(case, Cauchy(), l2=l2, fit_intercept=True)
        assert losses.convex is False
        np.testing.assert_array_equal(losses.strong_convexity, np.zeros(8))


@pytest.mark.parametrize("response", ["binary", "count", "real"])
def test_responses(response):
    seen = []

    def value_and_slope(eta, y):
        seen.append(np.unique(y).tolist())
        return (eta - y) ** 2, 2 * (eta - y)

    loss = SimpleNamespace(
        response=response, value_and_slope=value_and_slope, curvature=lambda eta, y: np.full(eta.shape, 2.0)
    )
    y = {"binary": ["no", "yes"], "count": [0, 3], "real": [-0.5, 2.0]}[response] * 10
    losses = sb.GroupedLinear(np.ones((20, 1)), y, [0] * 20, loss=loss, fit_intercept=False)
    losses.evaluate(np.zeros(1))
    assert seen[-1] == {"binary": [-1.0, 1.0], "count": [0.0, 3.0], "real": [-0.5, 2.0]}[response]
    assert losses.classes == (["no", "yes"] if response == "binary" else None)
    with pytest.raises(sb.ProblemError, match="y must"):
        sb.GroupedLinear(np.ones((20, 1)), ["a", -1, 5, None] * 5, [0] * 20, loss=loss)


def test_other_rows():
    case = make("squared", n=300, d=5)
    losses = own(case, LogCosh(), l2=0.1)
    w = case.point(losses)
    other = losses.on(case.X[:100], case.y[:100], case.groups[:100])
    np.testing.assert_allclose(other.rows(w), OWN["logcosh"][1](case.X[:100] @ w, case.y[:100]), rtol=1e-12, atol=1e-13)


def test_solved_and_certified():
    """The same problem as plain functions; our contract for losses holds as well."""
    case = make("squared", n=300, d=5)
    losses = own(case, LogCosh(), l2=0.01, fit_intercept=True)
    reference = case.reference(l2=0.01, fit_intercept=True, pointwise=OWN["logcosh"][1])
    result = sb.solve(sb.Problem(losses), tol=1e-8)
    other = sb.minimax(reference.values, np.zeros(6), jac=reference.jacobian, tol=1e-8)
    assert result.success
    assert result.value == pytest.approx(other.value, abs=2e-8)
    sb.testing.check_losses(losses)
    newton = sb.solve(sb.Problem(losses), method="newton", tol=1e-8)
    assert newton.value == pytest.approx(result.value, abs=2e-8)


def test_outside_of_the_domain():
    """NaN and inf stand for margins outside of the domain, and cause no warning."""

    class Barrier:
        """-log(eta), for eta > 0."""

        convex = True

        def value_and_slope(self, eta, y):
            return -np.log(eta), -1 / eta

        def curvature(self, eta, y):
            return 1 / eta**2

    losses = sb.GroupedLinear([[1.0], [2.0]], [0.0, 0.0], ["a", "b"], loss=Barrier(), fit_intercept=False)
    assert np.isnan(losses.evaluate(np.array([-1.0]))[0]).all()
    assert np.isinf(losses.values(np.zeros(1))).all()
    np.testing.assert_allclose(losses.values(np.ones(1)), [0.0, -np.log(2.0)])


# --- what is refused --------------------------------------------------------------------------------------------------


def functions(**changes):
    parts = {"value_and_slope": LogCosh().value_and_slope, "curvature": LogCosh().curvature, **changes}
    return SimpleNamespace(**{name: part for name, part in parts.items() if part is not None})


def kernel(number, base=LogCosh):
    return type("Mine", (base,), {"kernel": number})()


REFUSED = {
    "no slope": (functions(value_and_slope=None), "SimpleNamespace has no value_and_slope"),
    "no functions": (PointwiseLoss(), "unknown loss PointwiseLoss"),
    "a function": (np.square, "unknown loss.*or an object with value_and_slope"),
    "a class": (LogCosh, r"loss must be .*; got the class LogCosh\. Pass an instance: LogCosh\("),
    "unknown kernel": (kernel(99), "the pointwise loss Mine has kernel = 99.*Leave it out"),
    "Logistic's kernel": (kernel(Logistic.kernel), "the pointwise loss Mine has kernel = 0"),
    "the kernel of X'X": (kernel(7), "the pointwise loss Mine has kernel = 7"),
    "the kernel of compiled losses": (kernel(8), "the pointwise loss Mine has kernel = 8"),
    "kernel a bool": (kernel(True), "Mine has kernel = True"),
    "kernel a word": (kernel("logistic"), "Mine has kernel = 'logistic'"),
    "kernel of a relative": (kernel(Logistic.kernel, Squared), "Mine has kernel = 0"),
    "kernel of ours as a bool": (kernel(True, Squared), "Mine has kernel = True"),
    "kernel of an object": (functions(kernel=3), "SimpleNamespace has kernel = 3"),
    "classes": (functions(response="classes"), "must be one of 'real', 'count', 'binary'; got 'classes'"),
    "response a number": (functions(response=1), "response of the pointwise loss SimpleNamespace.*got 1"),
    "convex a word": (functions(convex="yes"), "convex of the pointwise loss SimpleNamespace must be True or False"),
    "negative bound": (functions(curvature_bound=-1.0), "curvature_bound of the pointwise loss SimpleNamespace"),
    "infinite bound": (functions(curvature_bound=np.inf), "must be a finite number >= 0"),
    "values alone": (functions(value_and_slope=lambda eta, y: eta), "must return a pair of arrays.*got ndarray"),
    "a number": (functions(value_and_slope=lambda eta, y: 1.0), "must return a pair of arrays.*got float"),
    "a mean": (functions(value_and_slope=lambda eta, y: (eta.mean(), eta)), r"of shape \(8,\); got shape \(\)"),
    "a slope of another shape": (functions(value_and_slope=lambda eta, y: (eta, eta[:3])), r"got shape \(3,\)"),
    "a column": (functions(value_and_slope=lambda eta, y: (eta[:, None], eta)), r"got shape \(8, 1\)"),
    "complex": (functions(value_and_slope=lambda eta, y: (eta + 0j, eta)), "one real number per margin.*complex128"),
    "None": (functions(value_and_slope=lambda eta, y: (eta, None)), "one real number per margin; got NoneType"),
    "words": (functions(curvature=lambda eta, y: ["a"] * eta.size), "curvature must return one real number per margin"),
    "one curvature": (functions(curvature=lambda eta, y: 2.0), r"curvature must return.*got shape \(\)"),
    "masked": (functions(curvature=lambda eta, y: np.ma.masked_less(eta, 1)), "must not hold masked entries"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    loss, message = REFUSED[name]
    with pytest.raises(sb.ProblemError, match=message):
        sb.GroupedLinear(np.ones((12, 2)), np.arange(12) / 7, np.arange(12) % 3, loss=loss)


def test_without_curvature_there_is_no_hessian_and_quasi_newton_solves():
    case = make("squared", n=300, d=5)
    losses = own(case, functions(curvature=None, convex=True, curvature_bound=1.0))
    assert offers(losses, HasSmoothness)
    for capability in (HasHessian, HasSampledHessian):
        assert "has no curvature(eta, y)" in lack(losses, capability)
    with pytest.raises(sb.IncompatibleError, match=r"hessian.*has no curvature"):
        losses.hessian(np.zeros(5), LAM)
    with pytest.raises(sb.IncompatibleError, match="newton needs"):
        sb.solve(sb.Problem(losses), method="newton")
    result, reference = sb.solve(sb.Problem(losses)), sb.solve(sb.Problem(own(case, LogCosh())))
    assert result.method == "quasi-newton"
    assert result.value == pytest.approx(reference.value, abs=1e-6)


def test_what_goes_wrong_later_is_refused_as_well():
    """The shape of the answer depends on the margins."""
    loss = functions(value_and_slope=lambda eta, y: (eta[eta <= 0], eta))
    losses = sb.GroupedLinear(np.ones((12, 2)), np.arange(12) / 7, np.arange(12) % 3, loss=loss, fit_intercept=False)
    with pytest.raises(sb.ProblemError, match=r"value_and_slope must return.*\(12,\); got shape \(0,\)"):
        losses.evaluate(np.ones(2))


def test_errors_of_the_users_functions_are_theirs():
    def fails(eta, y):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        sb.GroupedLinear(np.ones((12, 2)), np.arange(12) / 7, np.arange(12) % 3, loss=functions(value_and_slope=fails))


def test_whole_numbers_single_precision_and_lists_are_numbers():
    loss = functions(
        value_and_slope=lambda eta, y: (np.round(7 * eta).astype(int), np.tanh(eta).astype(np.float32)),
        curvature=lambda eta, y: [1] * eta.size,
    )
    losses = sb.GroupedLinear([[1.0], [0.6]], [0.0, 0.0], [0, 1], loss=loss, fit_intercept=False)
    f, G = losses.evaluate(np.ones(1))
    np.testing.assert_array_equal(f, [7.0, 4.0])
    np.testing.assert_allclose(G, np.tanh([[1.0], [0.6]]) * [[1.0], [0.6]], rtol=1e-6)
    np.testing.assert_allclose(losses.hessian(np.ones(1), np.ones(2)), [[1.36]])


def test_responses_cannot_be_written_to():
    def greedy(eta, y):
        y[:] = 0.0
        return eta, eta

    with pytest.raises(ValueError, match="read-only"):
        sb.GroupedLinear(np.ones((3, 1)), [1.0, 2.0, 3.0], [0] * 3, loss=functions(value_and_slope=greedy))


def test_an_unknown_number_of_the_kernel_gives_nan():
    """It does not return uninitialized memory."""
    losses = sb.GroupedLinear(np.ones((30, 2)), np.arange(30.0), np.arange(30) % 3, loss="squared")
    stranger = SimpleNamespace(kernel=99, options=(0.0, 0.0))
    f, G = losses._passes.reader.evaluate(np.ones((1, 2)), np.empty(0), 0.0, stranger)
    assert np.isnan(f).all()
    assert np.isnan(G).all()


# --- relatives of our losses ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Doubled(Huber):
    """Other functions under an inherited kernel, bound and convexity."""

    def value_and_slope(self, eta, y):
        value, slope = super().value_and_slope(eta, y)
        return 2 * value, 2 * slope

    def curvature(self, eta, y):
        return 2 * super().curvature(eta, y)


class Renamed(Huber):
    """Another name and no other change."""


def test_a_subclass_with_other_functions_is_a_loss_of_its_own():
    case = make("huber")
    losses, plain = own(case, Doubled(delta=0.5)), own(case, Huber(delta=0.5))
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], 2 * plain.evaluate(w)[1])
    assert_same(losses.hessian(w, LAM), 2 * plain.hessian(w, LAM))
    # What Huber declares does not hold for them.
    assert losses.convex is False
    assert not offers(losses, HasSmoothness)


def test_a_subclass_that_changes_nothing_stays_compiled():
    case = make("huber")
    losses = own(case, Renamed(delta=0.5))
    assert isinstance(losses.loss, Renamed)
    w = case.point(losses)
    np.testing.assert_array_equal(losses.evaluate(w)[1], own(case, Huber(delta=0.5)).evaluate(w)[1])
    assert losses.convex is True


def test_a_subclass_of_softmax_with_other_functions_is_refused():
    class Mine(Softmax):
        def value_and_slope(self, eta, y):
            return super().value_and_slope(eta, y)

        def curvature(self, eta, y):
            return eta

    with pytest.raises(sb.ProblemError, match=r"response of the pointwise loss Mine.*got 'classes'"):
        sb.GroupedLinear(np.ones((12, 2)), np.arange(12) % 3, np.arange(12) % 3, loss=Mine())


def test_names():
    case = make("squared")
    assert "loss=Doubled(delta=0.5)" in repr(own(case, Doubled(delta=0.5)))
    assert "loss=Cauchy()" in repr(own(case, Cauchy()))
    again = own_loss.find_loss(own(case, Cauchy()).loss)
    assert isinstance(again, own_loss.OwnLoss)
    assert isinstance(again.functions, Cauchy)
