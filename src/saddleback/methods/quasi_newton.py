"""Quasi-Newton steps through the dual subproblem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Matrix, ParamRows, Vector
from ..engine.evaluation import Evaluation
from ..engine.hessian_probe import HessianProbe, affords_hessian
from ..engine.method import State
from ..engine.oracle import Oracle
from ..errors import ProblemError
from ..linalg.blas_threads import one_blas_thread
from ..linalg.hessian_models import Metric
from .affine_metric import AffineMetric
from .bfgs import DenseBFGS
from .limited_bfgs import LimitedBFGS
from .second_order import SecondOrder, SecondOrderState, hessian_weights, starting_curvature
from .smoothness import LONGEST, first_guess
from .trial import Trial

# Up to this many parameters B is a matrix, and remembers every pair; d^3/3 flops are then less than most losses.
DENSE = 150
# Pairs with less curvature than this share of |s||y| are rounding: the losses are flat along s.
FLAT = 1e-10
# The share of the tolerance below which a promise is as good as none.
EXHAUSTED = 0.1
# Steps that easy problems do not need; after them, and d/8 more for its price, an exact Hessian is taken.
HESSIAN_AFTER = 40
# Multiplications of a matrix product in the time in which an evaluation treats one entry of the data.
FLOPS = 8.0
# Gradients per point, and points, on whose span the losses are asked for a sampled Hessian.
SAMPLED = 16
POINTS = 4
# Below this share of the largest curvature a sample tells nothing.
LEAST_SAMPLED = 1e-4
# A loss of less weight does not count as active.
NO_WEIGHT = 1e-8


@dataclass(frozen=True, eq=False, kw_only=True)
class QuasiNewtonState(SecondOrderState):
    """B, in one of its forms: a matrix, limited memory, or the diagonal of affine losses."""

    dense: DenseBFGS | None = None
    limited: LimitedBFGS | None = None
    affine: AffineMetric | None = None
    age: int = 0
    """Steps since B was the losses' own Hessian, or began."""
    span: ParamRows
    """Gradients at the last points, on whose span the losses are asked for a sampled Hessian."""


@dataclass(frozen=True)
class QuasiNewton(SecondOrder[QuasiNewtonState]):
    """BFGS on the Lagrangian: pairs s = w+ - w, y = (G+ - G)' lam with the same lam (docs/mathematics.md, 6).

    For few parameters a dense B, else the compact form of limited memory: O(d J memory) per iteration beside the
    evaluation. Losses that offer ``sampled_hessian`` lend their curvature on the span of the gradients of the last few
    points, where the steps go; the pairs come on top. Where y = 0, as on piecewise-linear losses, B shrinks tenfold
    and steps become long: a proximal-point method, which ends after finitely many steps there.

    Parameters
    ----------
    memory : int
        How many pairs the limited form remembers.
    """

    name: ClassVar[str] = "quasi-newton"
    state_type: ClassVar[type[State]] = QuasiNewtonState
    estimates: ClassVar[bool] = True

    memory: int = 20

    def __post_init__(self) -> None:
        if not isinstance(self.memory, int | np.integer) or self.memory < 1:
            raise ProblemError(f"memory must be a whole number >= 1; got {self.memory!r}.")

    def init(self, oracle: Oracle, w0: Vector) -> QuasiNewtonState:
        at = oracle.evaluate(w0)
        delta, d = starting_curvature(at), w0.size
        affine = oracle.affine
        dense = not affine and d <= DENSE
        return QuasiNewtonState(
            point=at.point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            dense=DenseBFGS.start(d, delta) if dense else None,
            limited=None if affine or dense else LimitedBFGS.start(d, delta),
            affine=AffineMetric.start(oracle, at) if affine else None,
            span=np.empty((0, d)),
        )

    def metric(self, oracle: Oracle, state: QuasiNewtonState, at: Evaluation) -> Metric:
        if state.affine is not None:
            return state.affine
        if state.dense is not None:
            return state.dense
        assert state.limited is not None
        if not oracle.samples_hessian:
            return state.limited
        lam = hessian_weights(oracle, state)
        with one_blas_thread():
            U = _orthonormal(np.vstack((state.span, _heaviest(at.G, lam))))
            H = oracle.sampled_hessian(at.w, lam, U)
            if H is None or not np.trace(H) > 0:
                return state.limited
            c, R = np.linalg.eigh(H)
            return state.limited.beginning(R.T @ U, np.maximum(c, LEAST_SAMPLED * c[-1]))

    def learn(
        self, oracle: Oracle, state: QuasiNewtonState, trial: Trial, there: Evaluation, slope: Vector
    ) -> dict[str, Any]:
        if state.affine is not None:
            return {"affine": AffineMetric.start(oracle, there)}
        step = trial.step
        s, y = step.direction, slope - step.slope
        curved = _curved(s, y, _noise(oracle, step.lam, step.base, there))
        if affords_hessian(oracle) and state.age >= HESSIAN_AFTER + s.size / FLOPS:
            return {"dense": DenseBFGS.known(oracle.hessian(there.w, step.lam)), "limited": None, "age": 0}
        # A model that promises nothing knows the directions that it has seen: first it looks at others.
        exhausted = trial.gain < EXHAUSTED * oracle.tol
        if state.dense is not None:
            dense = state.dense.updated(s, y) if curved else _flattened(state.dense, there)
            return {"dense": _loosened(dense, there) if exhausted else dense, "age": state.age + 1}
        assert state.limited is not None
        limited = state.limited.updated(s, y, self.memory) if curved else _flattened(state.limited, there)
        limited = _loosened(limited, there) if exhausted else limited
        if not oracle.samples_hessian:
            return {"limited": limited, "age": state.age + 1}
        span = np.vstack((state.span, _heaviest(step.base.G, step.lam)))
        span = span[-(POINTS - 1) * min(len(step.lam), SAMPLED) :]
        return {"limited": limited, "span": span, "age": state.age + 1}

    def sees_all(self, state: QuasiNewtonState) -> bool:
        return state.dense is not None and state.dense.whole

    def informed(self, state: QuasiNewtonState, look: HessianProbe) -> QuasiNewtonState:
        if look.hessian is not None and state.affine is None:
            return replace(state, dense=DenseBFGS.known(look.hessian), limited=None, sigma=0.0, age=0)
        if look.S is None or look.Y is None:
            return state
        dense, limited = state.dense, state.limited
        for s, y in zip(look.S, look.Y, strict=True):
            if not float(s.dot(y)) > FLAT * float(dnrm2(s)) * float(dnrm2(y)):
                continue
            dense = None if dense is None else dense.updated(s, y)
            limited = None if limited is None else limited.updated(s, y, self.memory)
        return replace(state, dense=dense, limited=limited, sigma=0.0)


M = TypeVar("M", DenseBFGS, LimitedBFGS)


def _flattened(model: M, there: Evaluation) -> M:
    """The model after a step without curvature, as long as Q does not dwarf the losses in (D)."""
    return model if model.least_curvature < first_guess(there) / LONGEST else model.flattened()


def _loosened(model: M, there: Evaluation) -> M:
    """The model with flatter directions that it has not seen, within the same limit."""
    return model if model.delta < first_guess(there) / LONGEST**2 else model.loosened()


def _heaviest(G: Matrix, lam: Vector) -> Matrix:
    """The gradients of the losses of most weight."""
    return G[np.argsort(-np.abs(lam), kind="stable")[:SAMPLED]]


def _orthonormal(rows: Matrix) -> Matrix:
    """A basis of the span of the rows, without the directions that are only their rounding."""
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1), np.finfo(np.float64).tiny)[:, None]
    values, vectors = np.linalg.eigh(rows @ rows.T)
    kept = values > 1e-8 * values[-1]
    return (vectors[:, kept] / np.sqrt(values[kept])).T @ rows


def _curved(s: Vector, y: Vector, noise: float) -> bool:
    """Whether y is more than rounding, and not at a right angle to s."""
    size = float(dnrm2(y))
    return size > noise and float(s.dot(y)) > FLAT * float(dnrm2(s)) * size


def _noise(oracle: Oracle, lam: Vector, before: Evaluation, after: Evaluation) -> float:
    """The part of (G+ - G)' lam that means nothing: rounding, and losses whose weight is only an inexact zero."""
    sizes = dnrm2(before.G.ravel()) + dnrm2(after.G.ravel())
    weight = float(dnrm2(lam))
    return weight * max(oracle.jacobian_precision * sizes, NO_WEIGHT * dnrm2((after.G - before.G).ravel()))
