"""The contract of a regularizer on a dual set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dual_sets import DualSet
from ..linalg.hessians import as_hessian
from ..regularizers import Regularizer
from . import response_checks
from .convexity_checks import compatible, convex, strongly_convex
from .failures import Findings, shape_errors
from .gradients import gradient_errors, hessian_errors
from .regularizer_sample import RegularizerSample
from .sampling import BarrierSample, draw


def check_regularizer(
    regularizer: Regularizer, dual_set: DualSet, n: int, *, seed: int = 0, n_points: int = 20
) -> None:
    """Check that a regularizer satisfies the contract of `saddleback.regularizers.base.Regularizer` on a set in R^n.

    Verified are the derivatives (by differences along the affine hull), convexity and its modulus, where the set has a
    barrier B the compatibility with it (c R + B is self-concordant for c from 1e-6 to 1e6), the best response (by
    sampling, by its first-order condition, by a central path where the set has a barrier; that of the inner solver
    where R has no formula for it), and that gap, difference and quadratic_form agree with value. Check the set first.

    Parameters
    ----------
    regularizer : Regularizer
        An instance; its ``resolve`` is called.
    dual_set : DualSet
        A set that passes `check_dual_set`.
    n : int
        The dimension.
    seed, n_points : int
        As for `check_dual_set`.

    Raises
    ------
    ContractError
        Lists every check that fails.
    IncompatibleError
        Where ``resolve`` or the formula for the best response refuses the set.

    Examples
    --------
    >>> from saddleback import Entropy, Simplex
    >>> check_regularizer(Entropy(0.1), Simplex(), 3)
    """
    with np.errstate(all="ignore"):
        findings = Findings(f"{regularizer!r} on {dual_set!r} in R^{n}")
        findings.add("resolve", _resolve(regularizer, dual_set, n))
        findings.settle()
        dual_set.validate(n)
        r = RegularizerSample(draw(dual_set, n, seed, n_points), regularizer.resolve(dual_set, n))
        has_barrier = isinstance(r.s, BarrierSample)
        findings.add("protocol", _shapes(r))
        findings.settle()
        if r.s.hull.dimension:
            findings.add("gradient", _gradient(r))
            findings.add("hessian", _hessian(r))
            if has_barrier:
                findings.add("compatible", compatible(r))
        for check in (convex, strongly_convex, response_checks.difference, response_checks.quadratic_form):
            findings.add(check.__name__, check(r))
        if not r.exact:
            # The inner solver finds best responses, and needs derivatives that are right.
            findings.settle()
        for check in (response_checks.attained, response_checks.optimal, response_checks.gap):
            findings.add(check.__name__, check(r))
        if has_barrier and r.s.hull.dimension and findings.clean:
            # The path needs a regularizer whose derivatives are right.
            findings.add("best response by the central path", response_checks.path(r))
        findings.settle()


def _resolve(regularizer: Regularizer, dual_set: DualSet, n: int) -> Iterator[str]:
    if not isinstance(regularizer, Regularizer):
        yield f"expected an instance of a subclass of Regularizer; got {regularizer!r}."
        return
    resolved = regularizer.resolve(dual_set, n)
    if not isinstance(resolved, Regularizer):
        yield f"resolve returns {resolved!r}; expected a Regularizer, with its defaults filled in."


def _shapes(r: RegularizerSample) -> Iterator[str]:
    x, n = r.s.center, r.s.n
    shapes: list[tuple[str, Any, tuple[int, ...]]] = [
        ("value(lam)", r.R.value(x), ()),
        ("gradient(lam)", r.R.gradient(x), (n,)),
    ]
    shapes.append(("hessian(lam), as a matrix,", as_hessian(r.R.hessian(x)).dense(), (n, n)))
    if r.formula is not None:
        shapes.append(("best_response(dual_set, z)", r.formula.best_response(r.s.dual_set, np.zeros(n)), (n,)))
    yield from shape_errors(shapes, " at the center")
    modulus = r.R.strong_convexity
    if not (np.isfinite(modulus) and modulus >= 0):
        yield f"strong_convexity is {modulus}; expected a number >= 0."


def _gradient(r: RegularizerSample) -> Iterator[str]:
    for x in r.s.points:
        yield from gradient_errors(r.s, x, r.s.local_norm_matrix(x), r.R.value, r.R.gradient(x), "gradient")


def _hessian(r: RegularizerSample) -> Iterator[str]:
    for x in r.s.points:
        yield from hessian_errors(r.s, x, r.s.local_norm_matrix(x), r.R.gradient, r.matrix(x), "hessian")
