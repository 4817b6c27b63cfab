"""Fingerprints of runs: a run resumes only for the same problem, as the bound of another one would be wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar

import numpy as np

from ..._types import EPS, Axes, Matrix, Params, Vector, Weights
from ...machine.clock import OutOfTime
from ..evaluation import Evaluation, Point
from ..method import AnyMethod
from ..oracle import Oracle
from .description import PARAMETER_ROUNDING, Description, kind_in

T = TypeVar("T")

# The number of directions along which Jacobians are compared, and of loss vectors at which h is.
N_DIRECTIONS, N_RESPONSES = 2, 3
# The second sampled point is at a distance over which each loss changes by about CHANGE_SHARE of the largest one; where
# the losses are not defined there, at NEARER_SHARE of that distance.
CHANGE_SHARE = 0.1
NEARER_SHARE = 1e-2
# The entries of a file that describe and name the method.
METHOD_KEY, METHOD_NAME_KEY = "fingerprint.method.outline", "fingerprint.method_name"
# The relative error of h, which for some pairs of set and regularizer is computed by root finding or the inner solver.
RESPONSE_ROUNDING = float(np.sqrt(EPS))


@dataclass(frozen=True, eq=False)
class Sample:
    """The losses at one point: their values, and their Jacobian by its rows' lengths and along fixed directions."""

    w: Params
    f: Weights
    lengths: Weights
    along: Annotated[Matrix, Axes(("J", N_DIRECTIONS))]

    @staticmethod
    def of(at: Evaluation) -> Sample:
        V = np.column_stack([signs(at.w.size, k) for k in range(N_DIRECTIONS)])
        return Sample(at.w, at.f, at.row_norms(), at.changes(V))


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """Method, Lambda, R, reference, metric, start and strong convexity of a run, and samples of its losses and of h."""

    method_name: str
    method: Description
    dual_set: Description
    regularizer: Description
    reference: Weights
    """Zeros where the problem has none."""
    w0: Params
    """As the user gave it."""
    factors: Annotated[Vector, Axes(("coordinates",))]
    """The coordinates in which the run works, over the user's."""
    strong_convexity: Params
    responses: Annotated[Vector, Axes((N_RESPONSES,))] | None
    """h at loss vectors of fixed signs; None where the time limit passed before."""
    magnitude: float
    """|z_j| of those losses."""
    second: Sample | None
    """The losses near w0, as at w0 = 0 some losses are the same for all data; None where they are not defined there or
    the time limit passed before."""

    @staticmethod
    def of(oracle: Oracle, method: AnyMethod, w0: Vector, factors: Vector) -> Fingerprint:
        """Takes one or two evaluations besides that at the oracle's w0."""
        at = oracle.evaluate(oracle.w0)
        magnitude = float(np.abs(at.f).max()) or 1.0
        return Fingerprint(
            method_name=method.name,
            method=Description.of(method),
            dual_set=Description.of(oracle.adversary.dual_set),
            regularizer=Description.of(oracle.adversary.regularizer),
            reference=oracle.reference,
            w0=w0,
            factors=factors,
            strong_convexity=oracle.strong_convexity,
            responses=_in_time(lambda: _responses(oracle, magnitude)),
            magnitude=magnitude,
            second=_in_time(lambda: _second_sample(oracle, at)),
        )

    def difference(self, oracle: Oracle, method: AnyMethod, factors: Vector) -> str | None:
        """What differs, of all that needs no evaluation; None where everything agrees."""
        adversary = oracle.adversary
        if self.method_name != method.name:
            return f"the method was {self.method_name}, and is {method.name} now"
        components = (
            ("the method", self.method, method),
            ("the dual set", self.dual_set, adversary.dual_set),
            ("the regularizer", self.regularizer, adversary.regularizer),
        )
        for name, was, component in components:
            now = Description.of(component)
            if not was.agrees(now):
                return f"{name} was {was.shown}, and is {now.shown}"
        if not agree(self.reference, oracle.reference):
            j = int(np.abs(self.reference - oracle.reference).argmax())
            return f"the reference of loss {j} was {self.reference[j]:.9g}, and is {oracle.reference[j]:.9g}"
        if not agree(self.factors, factors):
            return "the metric, or the scales of the parameters, differ"
        if not agree(self.strong_convexity, oracle.strong_convexity):
            return "the strong convexity of the losses (their l2, for a table) differs"
        if self.responses is not None:
            magnitude = np.abs(self.responses) + oracle.adversary.largest_weight * self.magnitude
            if not (np.abs(self.responses - _responses(oracle, self.magnitude)) <= RESPONSE_ROUNDING * magnitude).all():
                return "the dual set or the regularizer answers losses differently"
        return None

    def loss_difference(self, oracle: Oracle, last: Evaluation | None, best: Point) -> str | None:
        """What differs of the losses: at the last point that was evaluated, at the best one and near w0.

        Two or three evaluations.
        """
        samples = [] if last is None else [Sample.of(last)]
        samples += [] if self.second is None else [self.second]
        pairs = [(was, oracle.evaluate(was.w, watch=False)) for was in samples]
        # At a minimum the gradient is zero, but its rounding errors are as large as those of gradients elsewhere.
        largest = np.max([was.lengths for was, _ in pairs], axis=0, initial=0.0) if pairs else np.zeros(best.f.size)
        here = oracle.point(best.w, watch=False) if last is None or not np.array_equal(last.w, best.w) else None
        tolerance = oracle.watch.tolerance
        values = [(was.w, was.f, now.f) for was, now in pairs]
        values += [] if here is None else [(best.w, best.f, here.f)]
        for w, f, now_f in values:
            magnitude = np.abs(f) + np.abs(self.reference) + largest * float(np.linalg.norm(w))
            j = _first(~(np.abs(now_f - f) <= tolerance * magnitude))
            if j is not None:
                return f"loss {j} was {f[j]:.9g} at a point of that run, and is {now_f[j]:.9g}"
        for was, now in pairs:
            # Finite differences divide the rounding errors of the losses by their step.
            magnitude = largest + (0.0 if oracle.exact_jacobian else np.abs(was.f))
            error = np.abs(Sample.of(now).along - was.along).max(axis=1)
            j = _first(~(error <= tolerance * magnitude * np.sqrt(was.w.size)))
            if j is not None:
                return f"the gradient of loss {j} differs at a point of that run"
        if here is not None and not abs(here.value - best.value) <= tolerance * (
            abs(best.value) + oracle.adversary.largest_weight * float((np.abs(best.f) + np.abs(self.reference)).max())
        ):
            return f"g was {best.value:.9g} at the best point of that run, and is {here.value:.9g}"
        return None


def method_difference(texts: Mapping[str, str], method: AnyMethod) -> str | None:
    """The difference where a checkpoint names another method; options of methods are compared later."""
    was, now = kind_in(texts.get(METHOD_KEY, "")), kind_in(Description.of(method).outline)
    if was == now or not (was and now):
        return None
    name = texts.get(METHOD_NAME_KEY, was)
    was, now = (was, now) if name == method.name else (name, method.name)
    return f"the method was {was}, and is {now} now"


def signs(n: int, seed: int) -> Vector:
    """Pseudorandom +1 and -1, the same on every machine: NumPy does not change the bits of PCG64."""
    bits = np.random.PCG64(seed).random_raw(n) & np.uint64(1)
    return 1.0 - 2.0 * bits.astype(np.float64)


def agree(a: Vector, b: Vector) -> bool:
    """Whether two vectors are the same up to rounding."""
    return a.shape == b.shape and bool((np.abs(a - b) <= PARAMETER_ROUNDING * np.abs(a)).all())


def _responses(oracle: Oracle, magnitude: float) -> Vector:
    adversary = oracle.adversary
    return np.array([adversary.best_response(magnitude * signs(adversary.n, k)).value for k in range(N_RESPONSES)])


def _second_sample(oracle: Oracle, at: Evaluation) -> Sample | None:
    """The losses at a point near w0; at a nearer one where they are not defined at the first."""
    columns = at.largest_derivatives()
    magnitude = float(np.abs(at.f).max()) or 1.0
    with np.errstate(divide="ignore", over="ignore"):
        steps = np.minimum(CHANGE_SHARE * magnitude / (columns * np.sqrt(at.w.size)), np.maximum(1.0, np.abs(at.w)))
    for share in (1.0, NEARER_SHARE):
        try:
            with np.errstate(all="ignore"):
                there = oracle.evaluate(at.w + share * steps * signs(at.w.size, N_DIRECTIONS), watch=False)
        except OutOfTime:
            raise
        except Exception:  # losses may raise anything outside their domain
            continue
        if there.finite:
            return Sample.of(there)
    return None


def _in_time(compute: Callable[[], T]) -> T | None:
    """The computed value; None where the time limit passes before, as the run must still return its point."""
    try:
        return compute()
    except OutOfTime:
        return None


def _first(wrong: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> int | None:
    """The first loss that is wrong; None where all are right."""
    where = np.flatnonzero(wrong)
    return int(where[0]) if where.size else None
