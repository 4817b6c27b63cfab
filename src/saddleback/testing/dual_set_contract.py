"""The contract of a dual set."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from ..adversary import check_support
from ..capabilities import lack, members, offers
from ..dual_sets import DualSet, HasBarrier
from ..errors import ProblemError
from ..linalg.hessians import as_hessian
from . import barrier_checks, capability_checks, membership_checks, support_checks
from .failures import Findings, shape_errors
from .hull import Hull
from .sampling import BarrierSample, draw


def check_dual_set(dual_set: DualSet, n: int, *, seed: int = 0, n_points: int = 20) -> None:
    """Check that a dual set in R^n satisfies the contract of `saddleback.dual_sets.base.DualSet`.

    Verified are the support function (by sampling, by a central path where the set has a barrier, by linear programs
    where it is polyhedral), ``center``, ``contains``, ``restore``, ``affine_hull``, ``tangent_part``, ``bounds``, and
    what the set offers beyond them: the barrier (where it is finite, its derivatives by differences along the affine
    hull, its parameter and self-concordance, the analytic center), ``project``, ``tilt`` and ``linear_constraints``. A
    set of matrices is checked in its vector coordinates.

    Parameters
    ----------
    dual_set : DualSet
        An instance.
    n : int
        The dimension, k(k+1)/2 for symmetric k x k matrices.
    seed : int
        The seed of the random points and directions.
    n_points : int
        How many interior points to check derivatives at.

    Raises
    ------
    ContractError
        Lists every check that fails: what is wrong, where, in which direction, and what to do.

    Examples
    --------
    >>> from saddleback import Simplex
    >>> check_dual_set(Simplex(), 3)
    """
    with np.errstate(all="ignore"):
        findings = Findings(f"{dual_set!r} in R^{n}")
        findings.add("protocol", _protocol(dual_set, n))
        findings.settle()
        findings.add("affine_hull", membership_checks.affine_hull(Hull.of(dual_set, n), n))
        findings.settle()
        s = draw(dual_set, n, seed, n_points)
        interior = s if isinstance(s, BarrierSample) and s.hull.dimension else None
        findings.add("validate", membership_checks.wrong_size(s))
        if interior is None:
            # The defaults of everything else call the support function.
            findings.add("attained", support_checks.attained(s))
            findings.settle()
        analytic = iter(()) if interior is None else barrier_checks.centered(interior)
        findings.add("center", chain(membership_checks.center(s), analytic))
        if interior is not None:
            findings.add("bounded", barrier_checks.bounded(interior))
        # Steps and samples make sense only around an interior point of a bounded set.
        findings.settle()
        if interior is not None:
            findings.add("attained", support_checks.attained(s))
            _check_interior(interior, findings)
        for check in (
            support_checks.maximal,
            support_checks.sublinear,
            support_checks.consistent,
            membership_checks.contains,
            membership_checks.restore,
            membership_checks.tangent_part,
            membership_checks.bounds,
            capability_checks.project,
            capability_checks.tilt,
            capability_checks.linear_constraints,
        ):
            findings.add(check.__name__, check(s))
        if interior is not None and findings.clean:
            # The path needs a barrier that is right.
            findings.add("support by the central path", support_checks.path(interior))
        findings.settle()


def _check_interior(s: BarrierSample, findings: Findings) -> None:
    if not findings.add("barrier: domain", barrier_checks.domain(s)):
        # The next checks are made at points where the barrier is finite.
        findings.settle()
    for check in (
        barrier_checks.gradient,
        barrier_checks.hessian,
        barrier_checks.positive_definite,
        barrier_checks.parameter,
        barrier_checks.self_concordant,
        barrier_checks.dikin,
        barrier_checks.full_steps,
    ):
        findings.add(f"barrier: {check.__name__}", check(s))


def _protocol(dual_set: DualSet, n: int) -> Iterator[str]:
    """Types and shapes, which all other checks rely on."""
    if not isinstance(dual_set, DualSet):
        yield f"expected an instance of a subclass of DualSet; got {dual_set!r}."
        return
    try:
        dual_set.validate(n)
    except ProblemError as error:
        yield f"validate({n}) refuses the dimension: {error} Pass the n that the set is meant for."
        return
    size = dual_set.size
    if size is not None and size != n:
        yield f"validate({n}) accepts, but size is {size}. Raise a ProblemError for other dimensions."
        return
    try:
        check_support(dual_set, n)
    except ProblemError as error:
        yield str(error)
        return
    E, e = dual_set.affine_hull(n)
    center = np.asarray(dual_set.center(n))
    value, lam = dual_set.support(np.zeros(n))
    shapes: list[tuple[str, Any, tuple[int, ...]]] = [
        (f"affine_hull({n})[0]", E, (len(e), n)),
        (f"center({n})", center, (n,)),
        ("the maximizer of support(z)", lam, (n,)),
        ("the value of support(z)", value, ()),
    ]
    if center.shape == (n,) and E.shape == (len(e), n):
        shapes += [
            ("restore(lam)", dual_set.restore(center.copy()), (n,)),
            ("tangent_part(z)", dual_set.tangent_part(center.copy()), (n,)),
            (f"bounds({n})[0]", dual_set.bounds(n)[0], (n,)),
            (f"bounds({n})[1]", dual_set.bounds(n)[1], (n,)),
        ]
        yield from _barrier_protocol(dual_set, center, is_point=len(e) >= n)
    yield from shape_errors(shapes)


def _barrier_protocol(dual_set: DualSet, center: Any, *, is_point: bool) -> Iterator[str]:
    """All members of a barrier or none, and their shapes at the center."""
    owner: object = dual_set
    if not offers(owner, HasBarrier):
        named = [name for name in members(HasBarrier) if name.startswith("barrier") and name in dir(type(dual_set))]
        if named and type(dual_set).__dict__.get("lacks") is None:
            yield (
                f"{named[0]!r} is defined, but a barrier needs more: {lack(dual_set, HasBarrier)}. Define all of "
                f"{', '.join(name for name in members(HasBarrier) if name.startswith('barrier'))}, or none."
            )
        return
    if is_point:
        return
    n = center.size
    shapes: list[tuple[str, Any, tuple[int, ...]]] = [
        ("barrier(lam)", owner.barrier(center), ()),
        ("barrier_gradient(lam)", owner.barrier_gradient(center), (n,)),
        ("barrier_hessian(lam), as a matrix,", as_hessian(owner.barrier_hessian(center)).dense(), (n, n)),
    ]
    for name, got, shape in shapes:
        # Whether they are finite is checked at the center and at other points.
        if np.shape(got) != shape:
            yield f"{name} has shape {np.shape(got)}; expected {shape}."
