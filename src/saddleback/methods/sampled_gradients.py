"""The initial Hessian of limited-memory BFGS, sampled on the span of the last gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from .._types import Axes, Matrix, Vector
from ..engine.evaluation import Evaluation
from ..engine.oracle import Oracle
from ..linalg.blas_threads import one_blas_thread
from ..linalg.gram import bordered, orthonormal, products
from .compact_bfgs import CompactBFGS
from .limited_bfgs import LimitedBFGS


@dataclass(frozen=True)
class SampledGradientsControl:
    """The tuned numbers of the sampled initial Hessian."""

    whole: int = 32
    """Up to this many losses, all gradients of a point span the space in which the losses sample their Hessian. With 32
    losses at the paper's size this saves one evaluation of six."""
    per_point: int = 8
    """Gradients per point of more losses: those of the largest weights. On tables of 40 to 200 groups, 4 to 16 take the
    same number of evaluations."""
    first: int = 64
    """At the first point, before any weights are known, all gradients where they are at most so many. With 60 losses
    this saves one evaluation; some of 200 losses would be no better than ``per_point`` of them."""
    points: int = 4
    """Points whose gradients are used so, with the present one. On a table of 200 columns, one point instead saves 15 %
    of the evaluations and 12 points cost 15 % more."""
    smallest_eigenvalue: float = 1e-4
    """Raise eigenvalues of a sampled Hessian to this share of the largest: below it they are sampling errors."""
    smallest_span: float = 1e-8
    """Drop directions of the gradients' span with a squared length below this share of the largest: rounding errors."""


CONTROL = SampledGradientsControl()


@dataclass(frozen=True, eq=False)
class SampledGradients:
    """The gradients of a `LimitedBFGS` on the rows that the losses sample: computed once for each gradient."""

    margins: Annotated[Matrix, Axes(("gradients", "sample"))]
    """The sampled rows' margins for each gradient; no columns where the losses offer none."""
    penalties: Annotated[Matrix, Axes(("gradients", "gradients"))]
    """C diag(penalty) C' for the gradients C, with the penalty's Hessian that all losses share."""

    @staticmethod
    def none() -> SampledGradients:
        return SampledGradients(np.empty((0, 0)), np.empty((0, 0)))

    def following(self, oracle: Oracle, B: LimitedBFGS) -> SampledGradients:
        """Those of B, whose last gradients are new and whose first may be gone."""
        if not oracle.samples_margins:
            return self
        *older, rows = B.gradients
        first = len(self.margins) - sum(map(len, older))
        T, penalty, n = oracle.sampled_margins(rows), oracle.penalty_diagonal, 2 * len(B.S)
        margins = np.concatenate((self.margins[first:], T)) if older else T
        # A penalty that is the same for all parameters is a multiple of the inner products.
        if (penalty == penalty[0]).all():
            return SampledGradients(margins, penalty[0] * B.gram[n:, n:])
        with one_blas_thread():
            weighted = rows * penalty
            cross = products(weighted, older) if older else np.empty((len(rows), 0))
            return SampledGradients(margins, bordered(self.penalties[first:, first:], cross, weighted @ rows.T))

    def without_last(self, n: int) -> SampledGradients:
        """Without the last n gradients."""
        k = len(self.penalties) - n
        return SampledGradients(self.margins[:k], self.penalties[:k, :k])


def at_point(
    oracle: Oracle, B: LimitedBFGS, sampled: SampledGradients, at: Evaluation, lam: Vector
) -> tuple[LimitedBFGS, SampledGradients]:
    """With the gradients at a point last, in place of those of another point that the run has left since."""
    # Also where other weights are the largest by now.
    if B.gradients and are_rows(B.gradients[-1], at.G):
        return B, sampled
    rows = at.G if not B.gradients and len(at.G) <= CONTROL.first else heaviest(at.G, lam)
    if B.gradients:
        B, sampled = B.without_gradients(-1), sampled.without_last(len(B.gradients[-1]))
    B = B.with_gradients(rows, CONTROL.points)
    return B, sampled.following(oracle, B)


def with_sampled_hessian(
    oracle: Oracle, B: LimitedBFGS, sampled: SampledGradients, w: Vector, lam: Vector
) -> CompactBFGS | None:
    """B on the initial Hessian that the losses sample on the span of the gradients; None where it is zero."""
    n = 2 * len(B.S)
    with one_blas_thread():
        E = orthonormal(B.gram[n:, n:], CONTROL.smallest_span)
        if oracle.samples_margins:
            H = oracle.hessian_on_margins(w, lam, E @ sampled.margins)
            H = None if H is None else H + lam.sum() * (E @ sampled.penalties @ E.T)
        else:
            H = oracle.sampled_hessian(w, lam, E @ np.concatenate(B.gradients))
        if H is None or not np.trace(H) > 0:
            return None
        c, R = np.linalg.eigh(H)
        return B.with_initial(R.T @ E, np.maximum(c, CONTROL.smallest_eigenvalue * c[-1]))


def are_rows(rows: Matrix, G: Matrix) -> bool:
    """Whether all rows are rows of G; first entries differ from most others."""
    if rows is G:
        return True
    alike = rows[:, 0, None] == G[:, 0]
    if not alike.any(axis=1).all():
        return False
    return np.array_equal(G[alike.argmax(axis=1)], rows) or all(
        any(np.array_equal(row, G[j]) for j in np.flatnonzero(candidates))
        for row, candidates in zip(rows, alike, strict=True)
    )


def heaviest(G: Matrix, lam: Vector) -> Matrix:
    """The gradients of the losses with the largest weights; G itself where these are all."""
    if len(G) <= CONTROL.whole:
        return G
    return G[np.argsort(-np.abs(lam), kind="stable")[: CONTROL.per_point]]
