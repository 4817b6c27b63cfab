"""Finite differences: the Jacobian of losses without one, and a check of a given Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._types import EPS, Matrix, Vector
from .._validation import loss_pair
from ..errors import ProblemError
from .base import Losses
from .difference_steps import LengthSearch, Values, step_share

# The length at any point is at least this share of the parameter: shorter steps would measure its rounding errors.
LEAST_SHARE = 1e-5


@dataclass(frozen=True, eq=False)
class Differences:
    """The Jacobian by central differences, 2 d calls each, with steps fitted to the losses at ``w0``.

    The steps are fitted at the first call, always at ``w0``, so that a resumed run uses the same steps.
    """

    values: Values
    w0: Vector

    def __call__(self, w: Vector) -> Matrix:
        fit = self._fit
        return fit.jacobian.copy() if np.array_equal(self.w0, w) else central_differences(self.values, w, self.steps(w))

    @property
    def lengths(self) -> Vector:
        """The length scale of each parameter; its step is cbrt(eps) times as long."""
        return self._fit.lengths

    @property
    def precision(self) -> float:
        """The relative rounding error of the losses: that of their dtype."""
        return self._fit.precision

    def steps(self, w: Vector) -> Vector:
        return step_share(self.precision) * np.maximum(self.lengths, LEAST_SHARE * np.abs(w))

    def error(self, w: Vector) -> Matrix:
        """A bound on the errors of the Jacobian at w, (J, d): rounding, plus a third of the change by doubled steps."""
        steps, G = self.steps(w), self(w)
        truncation = np.abs(central_differences(self.values, w, 2 * steps) - G) / 3.0
        error: Matrix = truncation + self.precision * np.abs(self.values(w))[:, None] / steps
        return error

    @cached_property
    def _fit(self) -> _Fit:
        f = np.asarray(self.values(self.w0))
        precision = float(np.finfo(f.dtype).eps) if f.dtype.kind == "f" else EPS
        found = [LengthSearch(self.values, self.w0, f, i, precision).fitted() for i in range(self.w0.size)]
        lengths = np.array([one.length for one in found])
        constant = np.array([one.constant for one in found])
        if constant.any() and not constant.all():
            # A parameter on which the losses at w0 do not depend gets the geometric mean of the other lengths.
            lengths[constant] = np.exp(np.log(lengths[~constant]).mean())
        return _Fit(lengths, precision, np.stack([one.slope for one in found], axis=1))


@dataclass(frozen=True, eq=False)
class _Fit:
    """Length scales fitted to the losses at a point, and the Jacobian there."""

    lengths: Vector
    precision: float
    jacobian: Matrix


def central_differences(values: Values, w: Vector, steps: Vector | None = None) -> Matrix:
    """(f(w + h_i e_i) - f(w - h_i e_i))/(2 h_i), a column for each parameter; h = cbrt(eps) max(1, |w|) by default."""
    steps = step_share(EPS) * np.maximum(1.0, np.abs(w)) if steps is None else steps
    columns = []
    for i, h in enumerate(steps):
        forward, backward = w.copy(), w.copy()
        forward[i] += h
        backward[i] -= h
        columns.append((values(forward) - values(backward)) / (forward[i] - backward[i]))
    return np.stack(columns, axis=-1).reshape(-1, w.size)


def check_jacobian(losses: Losses, w: Vector, rtol: float = 1e-4) -> None:
    """Raise a ProblemError that names the rows of the Jacobian that disagree with central differences.

    The tolerance is ``rtol`` times the row, plus the change by doubled steps (truncation), plus the rounding errors of
    the differences. All terms are relative, so that the check does not depend on units of losses or parameters.
    """
    f, G = loss_pair(losses.evaluate(w))
    differences = Differences(lambda v: loss_pair(losses.evaluate(v))[0], w)
    steps = differences.steps(w)
    reference = differences(w)
    doubled = central_differences(differences.values, w, 2 * steps)
    # Entries are compared in the length scales of their parameters.
    lengths = differences.lengths
    error = np.abs(G - reference) * lengths
    rounding = 100 * differences.precision / step_share(differences.precision) * np.abs(f)
    allowed = (
        rtol * (np.abs(reference) * lengths).max(axis=1)
        + (np.abs(doubled - reference) * lengths).max(axis=1)
        + rounding
    )
    wrong = np.flatnonzero(~(error.max(axis=1) <= allowed))
    if wrong.size:
        j = int(wrong[0])
        i = int(np.argmax(error[j]))
        raise ProblemError(
            f"jac: row {j} is not the gradient of loss {j}: coordinate {i} is {G[j, i]:.6g}, finite differences "
            f"give {reference[j, i]:.6g}; rows that disagree: {wrong.tolist()}."
        )
