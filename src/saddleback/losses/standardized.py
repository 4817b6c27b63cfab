"""Losses of linear models of standardized columns, from those of the columns as they are: no table is copied."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._types import Indices, Matrix, Vector
from ..capabilities import lack
from .base import HasJacobianError, HasLinearization, HasSmoothness
from .facts import LossFacts
from .wrapped import WrappedLosses


@dataclass(frozen=True, eq=False)
class StandardizedLosses(WrappedLosses):
    """v -> f(w) + l2/2 |v without intercepts|^2, where x'w = z'v for z_k = (x_k - center_k) / scale_k.

    ``losses`` are of linear models without a penalty, with the parameters of `GroupedLinear`: the weights of each
    output one after the other, then the intercepts. w_k = v_k / scale_k, and an intercept is that of v less
    sum_k center_k w_k. For tables in files or on a cluster; one in memory is standardized while it is arranged.

    A column with a center of 10^m scales costs m digits of its gradient.
    """

    center: Vector
    """(d,); zeros where there is no intercept."""
    scale: Vector
    """(d,), positive."""
    l2: float = 0.0

    def _facts(self) -> LossFacts:
        facts = super()._facts()
        return replace(facts, strong_convexity=self.penalty_diagonal() if facts.convex else 0.0)

    def with_l2(self, l2: float) -> StandardizedLosses:
        """The same losses with another penalty."""
        return replace(self, l2=l2)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        f, G = self.losses.evaluate(self.to_columns(w))
        G = self.gradient(G)
        G[:, : self._n_weights] += self.l2 * w[: self._n_weights]
        return f + self.penalty(w), G

    def values(self, w: Vector) -> Vector:
        values: Vector = self.losses.values(self.to_columns(w))
        return values + self.penalty(w)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        H = self._of_both_sides(self.losses.hessian(self.to_columns(w), lam))
        return self._penalized(H, self.l2 * float(lam.sum()))

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        H = self.losses.loss_hessians(self.to_columns(w), which)
        return np.stack([self._penalized(self._of_both_sides(of_loss), self.l2) for of_loss in H])

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix:
        if V is None:
            H = self._of_both_sides(self.losses.sampled_hessian(self.to_columns(w), lam, None))
            return self._penalized(H, self.l2 * float(lam.sum()))
        penalized = V[:, : self._n_weights]
        estimate: Matrix = self.losses.sampled_hessian(self.to_columns(w), lam, self.to_columns(V))
        return estimate + self.l2 * float(lam.sum()) * (penalized @ penalized.T)

    def sampled_loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        H = self.losses.sampled_loss_hessians(self.to_columns(w), which)
        return np.stack([self._penalized(self._of_both_sides(of_loss), self.l2) for of_loss in H])

    def sampled_margins(self, V: Matrix) -> Matrix:
        margins: Matrix = self.losses.sampled_margins(self.to_columns(V))
        return margins

    def hessian_on_margins(self, w: Vector, lam: Vector, T: Matrix) -> Matrix:
        H: Matrix = self.losses.hessian_on_margins(self.to_columns(w), lam, T)
        return H

    def penalty_diagonal(self) -> Vector:
        return np.repeat([self.l2, 0.0], [self._n_weights, self.losses.n_params - self._n_weights])

    def parameter_scales(self) -> Vector:
        """Those of the columns times their scales: a margin changes as much by z_k as by x_k."""
        scales: Vector = self.losses.parameter_scales().copy()
        scales[: self._n_weights] *= np.tile(self.scale, self._n_outputs)
        return scales

    def lacks(self, capability: type) -> str | None:
        if capability in (HasSmoothness, HasJacobianError, HasLinearization):
            return "it is not computed for columns that are standardized as they are read"
        return lack(self.losses, capability)

    def to_columns(self, v: Matrix) -> Matrix:
        """The parameters of the columns as they are; v may have any number of rows."""
        w = v.copy()
        K, d, n_weights = self._n_outputs, self.scale.size, self._n_weights
        W = w[..., :n_weights].reshape(*v.shape[:-1], K, d)
        W /= self.scale
        w[..., :n_weights] = W.reshape(*v.shape[:-1], n_weights)
        if self.n_params > n_weights:
            w[..., n_weights:] -= W @ self.center
        return w

    def gradient(self, G: Matrix) -> Matrix:
        """Gradients in v from gradients in w, one per row."""
        G = G.copy()
        K, d, n_weights = self._n_outputs, self.scale.size, self._n_weights
        of_weights = G[..., :n_weights].reshape(*G.shape[:-1], K, d)
        if self.n_params > n_weights:
            of_weights = of_weights - G[..., n_weights:, None] * self.center
        G[..., :n_weights] = (of_weights / self.scale).reshape(*G.shape[:-1], n_weights)
        return G

    def penalty(self, v: Vector) -> float:
        """l2/2 |v|^2 without the intercepts."""
        weights = v[: self._n_weights]
        return 0.5 * self.l2 * float(weights @ weights)

    def _of_both_sides(self, H: Matrix) -> Matrix:
        """A Hessian in v from one in w, symmetric."""
        H = self.gradient(np.ascontiguousarray(self.gradient(H).T))
        return 0.5 * (H + H.T)

    def _penalized(self, H: Matrix, l2: float) -> Matrix:
        diagonal = np.arange(self._n_weights)
        H[diagonal, diagonal] += l2
        return H

    @property
    def _n_outputs(self) -> int:
        return int(self.losses.n_outputs)

    @property
    def _n_weights(self) -> int:
        return self._n_outputs * self.scale.size
