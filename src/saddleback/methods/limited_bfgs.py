"""Limited-memory BFGS in compact form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, final

import numpy as np

from .._types import Added, Axes, Matrix, ParamRows, Vector
from ..linalg.blas_threads import one_blas_thread
from ..linalg.gram import bordered, products
from ..linalg.growing_rows import appended
from ..linalg.hessian_models import SMALLEST_SHIFT_RATIO, ShiftedSystem, SolvedSystem
from .bfgs import CONTROL
from .compact_bfgs import CompactBFGS


@final
@dataclass(frozen=True, eq=False)
class LimitedBFGS:
    """B = B_0 - W M^-1 W' of the last pairs with B_0 = delta I (Byrd, Nocedal and Schnabel 1994, theorem 2.3).

    B_0 may be known better on the span of some gradients (`with_initial`). All inner products of pairs and gradients
    are kept, so that an iteration computes those of the new rows only: O(d (J + 2) (2 m + k)) flops for m pairs and k
    gradients, and the rest is small matrices (`CompactBFGS`).
    """

    delta: float
    S: ParamRows
    """The steps s of the pairs, one per row."""
    Y: ParamRows
    """The changes y of G' lam along them."""
    gram: Annotated[Matrix, Axes(("products", "products")), Added] = field(default_factory=lambda: np.empty((0, 0)))
    """Inner products of the rows of S, Y and the gradients, in this order; computed where only S and Y are given."""
    gradients: Annotated[tuple[Matrix, ...], Added] = ()
    """Gradients at the last points, one per row, the latest point last."""
    delta_factor: float = 1.0
    """delta over the mean of y'y/s'y: less than 1 after `with_smaller_initial`."""

    def __post_init__(self) -> None:
        if not self.gram.size and len(self.S) and not self.gradients:
            rows = np.concatenate((self.S, self.Y))
            object.__setattr__(self, "gram", rows @ rows.T)
        if len(self.gram) != 2 * len(self.S) + sum(map(len, self.gradients)):
            raise ValueError("inner products of other rows")
        if any(rows.shape[1:] != self.S.shape[1:] for rows in self.gradients):
            raise ValueError("gradients of other parameters")

    @staticmethod
    def start(d: int, delta: float) -> LimitedBFGS:
        return LimitedBFGS(delta, np.empty((0, d)), np.empty((0, d)), np.empty((0, 0)))

    @property
    def smallest_eigenvalue_bound(self) -> float:
        """An upper bound of the smallest eigenvalue of B, in directions without a pair."""
        return self.delta

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * self.delta

    def scaled_down(self) -> LimitedBFGS:
        """B after a step along which the losses are flat: smaller, without the pairs, which would rescale delta."""
        return self._without_pairs(self.delta / CONTROL.flat_step_divisor)

    def with_smaller_initial(self) -> LimitedBFGS:
        """The same pairs on a smaller initial Hessian."""
        factor = CONTROL.smaller_initial
        return LimitedBFGS(factor * self.delta, self.S, self.Y, self.gram, self.gradients, factor * self.delta_factor)

    def updated(
        self, s: Vector, y: Vector, memory: int, gradients: Matrix | None = None, points: int = 0
    ) -> LimitedBFGS:
        """B with one more pair, and as `with_gradients`; only the last ``memory`` pairs are kept."""
        m = len(self.S)
        if m and self.delta > CONTROL.obsolete_ratio * float(y @ y) / float(s @ y):
            return self._without_pairs(self.delta).updated(s, y, memory, gradients, points)
        old = self if gradients is None else self.without_gradients(max(0, len(self.gradients) + 1 - points))
        n, first = len(old.gram), max(0, m + 1 - memory)
        S, Y = old.S[first:], old.Y[first:]
        # One pass over the rows for the pair and the gradients.
        new = np.stack((s, y)) if gradients is None else np.concatenate((s[None], y[None], gradients))
        kept = np.r_[first:m, m + first : n]
        with one_blas_thread():
            gram = bordered(old.gram[np.ix_(kept, kept)], products(new, (S, Y, *old.gradients)), new @ new.T)
        m, n = len(S), len(kept)
        order = np.r_[:m, n, m : 2 * m, n + 1, 2 * m : n, n + 2 : len(gram)]
        gram, m = gram[np.ix_(order, order)], m + 1
        # The mean over the memory: with the last pair alone, delta oscillates from step to step.
        delta = float(np.mean(gram.diagonal()[m : 2 * m] / gram.diagonal(m)[:m]))
        S, Y = appended(old.S, s, first), appended(old.Y, y, first)
        latest = () if gradients is None else (gradients,)
        return LimitedBFGS(self.delta_factor * delta, S, Y, gram, (*old.gradients, *latest), self.delta_factor)

    def with_gradients(self, rows: Matrix, points: int) -> LimitedBFGS:
        """With the gradients at one more point; those of the last ``points`` are kept."""
        old = self.without_gradients(max(0, len(self.gradients) + 1 - points))
        with one_blas_thread():
            gram = bordered(old.gram, products(rows, (old.S, old.Y, *old.gradients)), rows @ rows.T)
        return LimitedBFGS(old.delta, old.S, old.Y, gram, (*old.gradients, rows), old.delta_factor)

    def without_gradients(self, points: int) -> LimitedBFGS:
        """Without those of the first ``points``, or of the last -``points`` where it is negative."""
        n = len(self.gram)
        if points >= 0:
            begin = 2 * len(self.S)
            end, kept = begin + sum(map(len, self.gradients[:points])), self.gradients[points:]
        else:
            begin, end, kept = n - sum(map(len, self.gradients[points:])), n, self.gradients[:points]
        gram = np.delete(np.delete(self.gram, slice(begin, end), 0), slice(begin, end), 1)
        return LimitedBFGS(self.delta, self.S, self.Y, gram, kept, self.delta_factor)

    def with_initial(self, E: Matrix, c: Vector) -> CompactBFGS:
        """The same pairs on an initial Hessian with the eigenvalues c along E C, for the gradients C.

        The rows of E C are orthonormal.
        """
        return CompactBFGS(self.delta, self.S, self.Y, self.gradients, self.gram, E, c)

    def system(self, G: Matrix, sigma: float) -> ShiftedSystem | None:
        a = self.delta + sigma
        if not len(self.S) and G.shape[1] < G.shape[0]:
            return SolvedSystem(G / a, factor=G / np.sqrt(a))
        n = 2 * len(self.S)
        no_span = np.empty((0, 0)), np.empty(0)
        return CompactBFGS(self.delta, self.S, self.Y, (), self.gram[:n, :n], *no_span).system(G, sigma)

    def _without_pairs(self, delta: float) -> LimitedBFGS:
        n = 2 * len(self.S)
        return LimitedBFGS(delta, self.S[:0], self.Y[:0], self.gram[n:, n:], self.gradients)
