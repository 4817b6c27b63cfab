"""Input that cannot be right is refused with its own message, before the losses are evaluated."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest
from calls import Calls, quadratics

import saddleback as sb
from saddleback.dual_sets import DualSet
from saddleback.methods import APGD, Extragradient, FixedPoint, Optimistic, ProxLinear
from saddleback.subproblem import PathFollowing, QuadraticProgram, ResponseNewton, TrustConstr

W0 = np.zeros(2)
MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])


def refused(error, match, *, n_calls, fun=quadratics, w0=W0, **options):
    """minimax(...) raises ``error`` with a matching message after ``n_calls`` calls of fun."""
    fun = Calls(fun)
    with pytest.raises(error, match=match) as caught:
        sb.minimax(fun, w0, **({"jac": True} | options))
    assert fun.n == n_calls, f"fun was called {fun.n} times before: {caught.value}"
    return caught.value


@pytest.mark.parametrize(
    ("w0", "match"),
    [
        (np.zeros((2, 1)), r"w0 must be a non-empty vector; got an array of shape \(2, 1\)"),
        (np.zeros((1, 1, 1)), "w0 must be a non-empty vector"),
        ([], r"w0 must be a non-empty vector; got an array of shape \(0,\)"),
        ("origin", "w0 must be a vector of numbers; got str"),
        (["a", "b"], "w0 must be a vector of numbers; got list"),
        (["1", "2"], "w0 must be a vector of numbers"),
        ([[1.0], [1.0, 2.0]], "w0 must be a vector of numbers; got list"),
        ({"w": 1.0}, "w0 must be a vector of numbers; got dict"),
        (None, "minimax needs one start, as w0 or as x0; got neither"),
        ([0.0, None], "w0 must be a vector of numbers"),
        ([1.0, 2.0 + 1j], "w0 must be a vector of numbers"),
        (np.array([1.0, 2.0 + 1j]), "w0 must be a vector of numbers"),
        (np.array(["1", "2"], dtype=object), "w0 must be a vector of numbers; got ndarray .it holds '1'"),
        (MASKED, "w0 must be a vector of numbers; got MaskedArray .it holds masked entries"),
        ({1.0, 2.0}, "w0 must be a vector of numbers; got set"),
        ([0.0, np.nan], "w0 must be finite; got nan at position 1"),
        ([-np.inf, 0.0], "w0 must be finite; got -inf at position 0"),
    ],
)
def test_bad_w0(w0, match):
    refused(sb.ProblemError, match, n_calls=0, w0=w0)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"tol": -1e-6}, r"tol must be a finite number >= 0; got -1e-06"),
        ({"tol": np.nan}, "tol must be a finite number"),
        ({"tol": np.inf}, "tol must be a finite number"),
        ({"tol": None}, "tol must be a number; got None"),
        ({"tol": "small"}, "tol must be a number; got 'small'"),
        ({"tol": "1e-3"}, "tol must be a number; got '1e-3'"),
        ({"tol": True}, "tol must be a number; got True"),
        ({"tol": [1e-3]}, r"tol must be a number; got \[0.001\]"),
        ({"max_iter": -1}, "max_iter must be a whole number >= 0; got -1"),
        ({"max_iter": 10.0}, r"max_iter must be a whole number >= 0; got 10\.0"),
        ({"max_iter": None}, "max_iter must be a whole number"),
        ({"time_limit": -1}, "time_limit must be a finite number >= 0; got -1"),
        ({"time_limit": np.nan}, "time_limit must be a finite number"),
        ({"progress": "no"}, "progress must be True or False; got 'no'"),
        ({"resume": 1}, "resume must be True or False; got 1"),
        ({"radius": 0.0}, r"radius must be a finite number > 0; got 0\.0"),
        ({"radius": -1.0}, "radius must be a finite number > 0"),
        ({"radius": np.inf}, "radius must be a finite number > 0"),
        ({"metric": -1.0}, "metric must be positive; got least entry -1"),
        ({"metric": [1.0, 0.0]}, "metric must be positive; got least entry 0"),
        ({"metric": [1.0, np.nan]}, "metric must be finite; got nan at position 1"),
        ({"metric": [1.0, 1.0, 1.0]}, "metric must have length 2; got length 3"),
        ({"metric": np.eye(2)}, "metric must be a non-empty vector"),
        ({"metric": "euclidean"}, "metric must be a vector of numbers"),
        ({"callback": "print"}, "callback must be callable; got str"),
        ({"method": "gradient-descent"}, "unknown method 'gradient-descent'; expected one of 'auto', 'accelerated'"),
        ({"method": sb.Accelerated}, r"method must be a name or an object such as Accelerated\(\); got <class"),
        ({"method": None}, "method must be a name or an object"),
        ({"inner": "simplex"}, "unknown inner solver 'simplex'; expected one of .*'path-following'"),
        ({"inner": PathFollowing}, "inner must be a name or an object"),
        ({"inner": None}, "inner must be a name or an object"),
        ({"inner": 7}, "inner must be a name or an object"),
        ({"dual_set": sb.Simplex}, "expected a DualSet; got <class.*Pass an instance, not its class"),
        ({"dual_set": "simplex"}, r"expected a DualSet; got 'simplex'\. Pass an instance, such as Simplex\(\)"),
        ({"regularizer": sb.Zero}, "expected a Regularizer; got <class.*Pass an instance, not its class"),
        ({"regularizer": sb.Quadratic, "method": "apgd"}, "expected a Regularizer; got <class"),
        ({"regularizer": 0.1}, r"expected a Regularizer; got 0\.1\. Pass an instance, such as Quadratic\(0\.1\)"),
        ({"check_jac": "no"}, "check_jac must be True or False; got 'no'"),
        ({"jac": "2-point"}, "jac must be a callable, True or None; got '2-point'"),
        ({"jac": np.eye(2)}, "jac must be a callable, True or None"),
        ({"hess": True}, r"hess must be a callable hess\(w, lam\) -> \(d, d\), or None; got True"),
        ({"hess": np.eye(2)}, "hess must be a callable"),
        ({"x0": W0}, "minimax needs one start, as w0 or as x0; got both"),
        ({"args": True}, "args must be a tuple, the extra arguments of fun; got True. Pass a Jacobian by its name"),
        ({"args": None}, "args must be a tuple.*got None"),
        ({"args": quadratics}, "args must be a tuple.*got quadratics. Pass a Jacobian by its name, jac=..."),
    ],
)
def test_bad_option(options, match):
    refused(sb.ProblemError, match, n_calls=0, **options)


@pytest.mark.parametrize("fun", ["rosenbrock", None, np.zeros(3)])
def test_fun_that_is_not_callable(fun):
    with pytest.raises(sb.ProblemError, match="fun must be callable; got"):
        sb.minimax(fun, W0, jac=True)


def test_several_functions_are_made_one():
    with pytest.raises(sb.ProblemError, match=r"got list of functions\. Make one of them: lambda w: \[f\(w\) for f"):
        sb.minimax([np.sin, np.cos], W0)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("bounds", r"minimax\(\) has no argument 'bounds'\. Limits on w are more functions.*Box\(0, fine\)"),
        ("constraints", "Limits on w are more functions"),
        ("options", r"Pass max_iter=, tol= and time_limit= themselves\."),
        ("maxiter", r"It is max_iter= here\."),
        ("disp", r"It is progress=True here\."),
        ("hessp", r"Pass hess\(w, lam\)"),
        ("boundz", "unexpected keyword argument 'boundz'"),
    ],
)
def test_arguments_of_scipy_that_are_others_here(name, match):
    with pytest.raises(TypeError, match=match):
        sb.minimax(quadratics, W0, **{name: None})


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "lbfgsb"}, "lbfgsb needs a regularizer with strong convexity.*'quasi-newton'"),
        ({"method": "apgd"}, "apgd needs a regularizer with strong convexity"),
        ({"method": "apgd", "regularizer": sb.Quadratic(0.0)}, "apgd needs a regularizer with strong convexity"),
        ({"method": "lbfgsb", "regularizer": sb.Entropy(0)}, "lbfgsb needs a regularizer with strong convexity"),
    ],
)
def test_pieces_that_do_not_fit_together(options, match):
    error = refused(sb.IncompatibleError, match, n_calls=0, **options)
    assert re.search("Use|use", str(error)), f"the message names no remedy: {error}"


def test_the_inner_solvers_that_would_work_are_named():
    """Refused once J is known: only then are (Lambda, R) resolved, and Entropy(0) would do."""
    match = "'qp' needs a regularizer with a quadratic form .* Entropy has no 'quadratic_form'"
    error = refused(sb.IncompatibleError, match, n_calls=1, inner="qp", regularizer=sb.Entropy(0.1))
    assert "'path-following'" in str(error)
    assert "'qp'" not in str(error).split("Use one of")[1]


@pytest.mark.parametrize("make", [sb.Quadratic, sb.Entropy])
@pytest.mark.parametrize("gamma", [-1.0, np.nan, np.inf, "0.1", None, [1.0, 2.0]])
def test_bad_gamma(make, gamma):
    with pytest.raises(sb.ProblemError, match=f"gamma of {make.__name__} must be a"):
        make(gamma)


@pytest.mark.parametrize(
    ("prior", "match"),
    [
        ([0.5, 0.6], "must be positive and sum to one; got least entry 0.5, sum 1.1"),
        ([1.5, -0.5], "must be positive and sum to one; got least entry -0.5"),
        ([1.0, 0.0], "must be positive.*drop the losses that have no weight"),
        ([0.5, np.nan], "prior of Entropy must be finite; got nan at position 1"),
        ([[0.5, 0.5]], "prior of Entropy must be a non-empty vector"),
        ([], "prior of Entropy must be a non-empty vector"),
        ("uniform", "prior of Entropy must be a vector of numbers"),
    ],
)
def test_bad_prior(prior, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.Entropy(0.1, prior=prior)


@pytest.mark.parametrize(
    ("center", "match"),
    [
        ([0.5, np.inf], "center of Quadratic must be finite; got inf at position 1"),
        (np.ones((2, 3)), "center of Quadratic must be square"),
        ("middle", "center of Quadratic must be a vector of numbers"),
    ],
)
def test_bad_center(center, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.Quadratic(0.1, center=center)


@pytest.mark.parametrize(
    ("regularizer", "match"),
    [
        (sb.Entropy(0.1, prior=[0.5, 0.5]), "prior of Entropy has 2 entries for 3 losses"),
        (sb.Quadratic(0.1, center=[0.5, 0.5]), "center of Quadratic must have length 3; got length 2"),
    ],
)
def test_prior_or_center_of_another_length(regularizer, match):
    """The number of losses is only known after one call."""
    refused(sb.ProblemError, match, n_calls=1, regularizer=regularizer)


@pytest.mark.parametrize(
    "kind", [sb.Accelerated, sb.AlgorithmOne, FixedPoint, ProxLinear, APGD, Extragradient, Optimistic]
)
@pytest.mark.parametrize("smoothness", [0.0, -1.0, np.nan, np.inf, "large"])
def test_bad_smoothness(kind, smoothness):
    with pytest.raises(sb.ProblemError, match="smoothness must be a"):
        kind(smoothness=smoothness)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"steps": "long"}, "unknown step rule 'long'; expected one of 'sharp', 'paper'"),
        ({"steps": ["sharp"]}, "unknown step rule"),
        ({"inner_accuracy": -1.0}, "inner_accuracy must be a finite number >= 0"),
        ({"inner_accuracy": np.nan}, "inner_accuracy must be a finite number"),
    ],
)
def test_bad_option_of_a_method(options, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.Accelerated(**options)


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (([], np.zeros((0, 2))), r"fun must return a non-empty vector of losses \(J,\); got shape \(0,\) at w0"),
        ((np.zeros((3, 1)), np.zeros((3, 2))), r"fun must return a non-empty vector.*got shape \(3, 1\)"),
        (([1.0, np.nan], np.zeros((2, 2))), "fun must be finite at w0; got nan for loss 1"),
        (([np.inf, 0.0], np.zeros((2, 2))), "fun must be finite at w0; got inf for loss 0"),
        (([-np.inf, 0.0], np.zeros((2, 2))), "fun must be finite at w0; got -inf for loss 0"),
        ((["a", "b"], np.zeros((2, 2))), "fun must return numbers; got list"),
        ((["1", "2"], np.zeros((2, 2))), "fun must return numbers"),
        ((None, np.zeros((2, 2))), "fun must return numbers; got NoneType"),
        (([1.0, None], np.zeros((2, 2))), "fun must return numbers"),
        ((np.array([1.0 + 1e-20j]), np.zeros((1, 2))), "fun must return numbers"),
        (None, r"with jac=True, fun must return the pair \(losses, jacobian\)"),
        (1.0, "with jac=True, fun must return the pair"),
        (np.zeros(3), "with jac=True, fun must return the pair"),
        (([1.0], [[1.0, 2.0]], "extra"), "with jac=True, fun must return the pair"),
        ((np.zeros(3), np.zeros((2, 3))), r"\(J, d\) = \(3, 2\); got \(2, 3\)\. It looks transposed"),
        ((np.zeros(3), np.zeros((3, 3))), r"jac must return an array of shape \(J, d\) = \(3, 2\); got \(3, 3\)\.$"),
        ((np.zeros(3), np.zeros(6)), r"jac must return an array of shape \(J, d\)"),
        ((np.zeros(3), None), "jac must return numbers; got NoneType"),
        ((np.zeros(3), "G"), "jac must return numbers; got str"),
        ((np.zeros(3), [[1.0, 2.0], [1.0], [2.0]]), "jac must return numbers; got list"),
        ((MASKED, np.zeros((2, 2))), "fun must return numbers; got MaskedArray .it holds masked entries"),
        ((np.zeros(2), np.ma.masked_equal(np.eye(2), 0)), "jac must return numbers; got MaskedArray"),
        ((np.zeros(2), [np.zeros(2), MASKED]), "jac must return numbers; got list .it holds masked entries"),
        ((np.array(["1", "2"], dtype=object), np.zeros((2, 2))), "fun must return numbers; got ndarray"),
        ((np.zeros(3), np.full((3, 2), np.nan)), "the Jacobian must be finite at w0; got NaN or inf"),
        ((np.zeros(2), [[0.0, 1.0], [np.inf, 0.0]]), "the Jacobian must be finite at w0"),
    ],
)
def test_fun_that_answers_nonsense_at_w0(answer, match):
    refused(sb.ProblemError, match, n_calls=1, fun=lambda w: answer)


@pytest.mark.parametrize(
    ("values", "jacobian", "match"),
    [
        ([], np.zeros((0, 2)), "fun must return a non-empty vector"),
        (None, np.zeros((1, 2)), "fun must return numbers; got NoneType"),
        ("loss", np.zeros((1, 2)), "fun must return numbers; got str"),
        (np.zeros(3), np.zeros((2, 3)), "It looks transposed: row j must be the gradient of loss j"),
        (np.zeros(3), np.zeros((1, 3, 2)), r"jac must return an array of shape \(J, d\) = \(3, 2\); got \(1, 3, 2\)"),
        (np.zeros(3), [[np.nan, 0]] * 3, "the Jacobian must be finite at w0"),
        (MASKED, np.zeros((2, 2)), "fun must return numbers; got MaskedArray .it holds masked entries"),
        (np.zeros(2), np.ma.masked_equal(np.eye(2), 0), "jac must return numbers; got MaskedArray"),
    ],
)
def test_separate_functions_that_answer_nonsense_at_w0(values, jacobian, match):
    refused(sb.ProblemError, match, n_calls=1, fun=lambda w: values, jac=lambda w: jacobian)


def test_a_pair_is_asked_for_where_jac_is_separate():
    """jac forgotten: fun returns (losses, jacobian) without jac=True."""
    refused(sb.ProblemError, "fun must return", n_calls=1, fun=quadratics, jac=lambda w: quadratics(w)[1])


@dataclass(frozen=True)
class Nothing(sb.Simplex):
    """An empty set: no point is in it, its center neither."""

    def contains(self, lam, tol=1e-12):
        return False


@dataclass(frozen=True)
class Refusing(sb.Simplex):
    """An empty set that says so itself."""

    def validate(self, n):
        raise sb.ProblemError(f"no point of R^{n} satisfies the constraints")


@pytest.mark.parametrize(("dual_set", "match"), [(Nothing(), "is empty"), (Refusing(), "no point of R.3")])
def test_empty_dual_set(dual_set, match):
    refused(sb.ProblemError, match, n_calls=1, dual_set=dual_set)


def test_an_unfinished_dual_set_cannot_be_made():
    class Unfinished(DualSet):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Unfinished()


@pytest.mark.parametrize("kind", [PathFollowing, QuadraticProgram, ResponseNewton, TrustConstr])
def test_the_limit_of_an_inner_solver_is_a_whole_number(kind):
    for wrong in ("a", 2.5, -1, True):
        with pytest.raises(sb.ProblemError, match=f"max_iter of {kind.__name__} must be a whole number >= 0"):
            kind(max_iter=wrong)
    assert type(kind(max_iter=np.int8(100)).max_iter) is int
