"""What must agree before a run is taken up again: another problem's bound would be a false one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar

import numpy as np

from ..._types import EPS, Axes, Matrix, Params, Vector, Weights
from ...machine.clock import OutOfTime
from ..evaluation import Evaluation, Point, row_norms
from ..method import AnyMethod
from ..oracle import Oracle
from .description import ROUNDING, Description, kind_in

T = TypeVar("T")

# Directions along which Jacobians are compared, and losses to which the adversary's answers are.
DIRECTIONS, ANSWERS = 2, 3
# How far the second point lies from w0: each loss changes there by about this share of the largest.
SHARE = 0.1
NEARER = 1e-2
# The entries of a file that describe and name the method.
METHOD, METHOD_NAME = "fingerprint.method.outline", "fingerprint.method_name"
# h comes from root finding or from the inner solver for some pairs.
ANSWER_ROUNDING = float(np.sqrt(EPS))


@dataclass(frozen=True, eq=False)
class Sample:
    """The losses at one point: their values, and their Jacobian by its rows' lengths and along fixed directions."""

    w: Params
    f: Weights
    lengths: Weights
    along: Annotated[Matrix, Axes(("J", DIRECTIONS))]

    @staticmethod
    def of(at: Evaluation) -> Sample:
        V = np.column_stack([signs(at.w.size, k) for k in range(DIRECTIONS)])
        return Sample(at.w, at.f, row_norms(at.G), at.G @ V)


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """Method, Lambda, R, metric, start and curvature of a run, and samples of its losses and of its adversary."""

    method_name: str
    method: Description
    dual_set: Description
    regularizer: Description
    w0: Params
    """As the user gave it."""
    scale: Annotated[Vector, Axes(("coordinates",))]
    """The coordinates in which the run works, over the user's."""
    curvature: Params
    answers: Annotated[Vector, Axes((ANSWERS,))] | None
    """h at losses of fixed signs; None where there was no time for them."""
    unit: float
    """The size of those losses."""
    second: Sample | None
    """The losses beside w0; None where they are not defined there, or there was no time. At w0 = 0 some losses are the
    same for all data."""

    @staticmethod
    def of(oracle: Oracle, method: AnyMethod, w0: Vector, scale: Vector) -> Fingerprint:
        """Costs one evaluation beside that at the oracle's w0, or two."""
        at = oracle.evaluate(oracle.w0)
        unit = float(np.abs(at.f).max()) or 1.0
        return Fingerprint(
            method_name=method.name,
            method=Description.of(method),
            dual_set=Description.of(oracle.adversary.dual_set),
            regularizer=Description.of(oracle.adversary.regularizer),
            w0=w0,
            scale=scale,
            curvature=oracle.curvature,
            answers=_in_time(lambda: _answers(oracle, unit)),
            unit=unit,
            second=_in_time(lambda: _second_sample(oracle, at)),
        )

    def difference(self, oracle: Oracle, method: AnyMethod, scale: Vector) -> str | None:
        """What is not as it was, of all that needs no evaluation; None where everything agrees."""
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
        if not agree(self.scale, scale):
            return "the metric, the scale of the parameters, is another one"
        if not agree(self.curvature, oracle.curvature):
            return "the strong convexity of the losses is another one (their l2, for a table)"
        if self.answers is not None:
            size = np.abs(self.answers) + oracle.adversary.largest_weight * self.unit
            if not (np.abs(self.answers - _answers(oracle, self.unit)) <= ANSWER_ROUNDING * size).all():
                return "the dual set or the regularizer answers losses differently"
        return None

    def loss_difference(self, oracle: Oracle, last: Evaluation | None, best: Point) -> str | None:
        """What is not as it was, of the losses: at the last point that was evaluated, at the best one and beside w0.

        Costs two or three evaluations.
        """
        samples = [] if last is None else [Sample.of(last)]
        samples += [] if self.second is None else [self.second]
        pairs = [(was, oracle.evaluate(was.w, watch=False)) for was in samples]
        # A gradient vanishes at a minimum, but not its rounding errors: those are of the size of gradients elsewhere.
        largest = np.max([was.lengths for was, _ in pairs], axis=0, initial=0.0) if pairs else np.zeros(best.f.size)
        here = oracle.point(best.w, watch=False) if last is None or not np.array_equal(last.w, best.w) else None
        tolerance = oracle.watch.tolerance
        values = [(was.w, was.f, now.f) for was, now in pairs]
        values += [] if here is None else [(best.w, best.f, here.f)]
        for w, f, now_f in values:
            size = np.abs(f) + largest * float(np.linalg.norm(w))
            j = _first(~(np.abs(now_f - f) <= tolerance * size))
            if j is not None:
                return f"loss {j} was {f[j]:.9g} at a point of that run, and is {now_f[j]:.9g}"
        for was, now in pairs:
            # Finite differences divide the rounding errors of the losses by their step.
            size = largest + (0.0 if oracle.exact_jacobian else np.abs(was.f))
            error = np.abs(Sample.of(now).along - was.along).max(axis=1)
            j = _first(~(error <= tolerance * size * np.sqrt(was.w.size)))
            if j is not None:
                return f"the gradient of loss {j} is another one at a point of that run"
        if here is not None and not abs(here.value - best.value) <= tolerance * (
            abs(best.value) + oracle.adversary.largest_weight * float(np.abs(best.f).max())
        ):
            return f"g was {best.value:.9g} at the best point of that run, and is {here.value:.9g}"
        return None


def method_difference(texts: Mapping[str, str], method: AnyMethod) -> str | None:
    """Which method a checkpoint is of, where its texts name another one; options are compared later."""
    was, now = kind_in(texts.get(METHOD, "")), kind_in(Description.of(method).outline)
    if was == now or not (was and now):
        return None
    name = texts.get(METHOD_NAME, was)
    was, now = (was, now) if name == method.name else (name, method.name)
    return f"the method was {was}, and is {now} now"


def signs(n: int, seed: int) -> Vector:
    """+1 and -1 in an order that looks random and is the same everywhere: NumPy keeps the bits of PCG64 as they are."""
    bits = np.random.PCG64(seed).random_raw(n) & np.uint64(1)
    return 1.0 - 2.0 * bits.astype(np.float64)


def agree(a: Vector, b: Vector) -> bool:
    """Whether two vectors are the same up to rounding."""
    return a.shape == b.shape and bool((np.abs(a - b) <= ROUNDING * np.abs(a)).all())


def _answers(oracle: Oracle, unit: float) -> Vector:
    adversary = oracle.adversary
    return np.array([adversary.best_response(unit * signs(adversary.n, k)).value for k in range(ANSWERS)])


def _second_sample(oracle: Oracle, at: Evaluation) -> Sample | None:
    """The losses at a point beside w0, at a second one nearer by where the first is outside their domain."""
    columns = np.abs(at.G).max(axis=0)
    size = float(np.abs(at.f).max()) or 1.0
    with np.errstate(divide="ignore", over="ignore"):
        steps = np.minimum(SHARE * size / (columns * np.sqrt(at.w.size)), np.maximum(1.0, np.abs(at.w)))
    for share in (1.0, NEARER):
        try:
            with np.errstate(all="ignore"):
                there = oracle.evaluate(at.w + share * steps * signs(at.w.size, DIRECTIONS), watch=False)
        except OutOfTime:
            raise
        except Exception:  # losses that refuse a point that the run may never visit must not end it
            continue
        if there.finite:
            return Sample.of(there)
    return None


def _in_time(compute: Callable[[], T]) -> T | None:
    """What is computed; None where the time limit comes first, as such a run must still end with what it has."""
    try:
        return compute()
    except OutOfTime:
        return None


def _first(wrong: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> int | None:
    """The first loss that is wrong; None where all are right."""
    where = np.flatnonzero(wrong)
    return int(where[0]) if where.size else None
