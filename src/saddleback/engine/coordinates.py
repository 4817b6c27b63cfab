"""The coordinates in which a run works, and the oracle in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._types import Vector
from ..losses import RescaledLosses
from ..machine.clock import Clock
from ..problem import Problem
from ..subproblem import InnerSolver
from .oracle import Oracle
from .parameter_scales import (
    declared_scales,
    measured_scales,
    ordinary,
    reduced_by_strong_convexity,
    refuse_extreme,
    refuse_large,
)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The method works in v = factors w; the region of its bound is measured by |(v - center)/region_scales|.

    Without a metric the factors are powers of two, so that w -> v is free of rounding errors.
    """

    factors: Vector
    region_scales: Vector
    radius: float | None = None
    """The radius that the user asked for."""
    in_metric: bool = False
    """Whether the user gave a metric, in which distances are measured."""

    @property
    def plain(self) -> bool:
        """Whether v = w."""
        return bool((self.factors == 1.0).all())

    def semi_axes(self, radius: float, strong_convexity: Vector) -> Vector:
        """The extent of the region along each parameter of the user; inf along strongly convex ones."""
        if self.radius is not None and (self.region_scales == self.factors).all():
            axes = np.full(self.factors.size, radius)
        else:
            axes = radius * (self.region_scales / self.factors)
        axes[strong_convexity > 0.0] = np.inf
        return axes

    @staticmethod
    def of_metric(factors: Vector, radius: float | None) -> Coordinates:
        """With factors sqrt(P) for the user's metric P: steps, distances and the radius are measured in it."""
        return Coordinates(factors, np.ones(factors.size), radius, in_metric=True)

    @staticmethod
    def of_scales(scales: Vector, radius: float | None, *, rescaled: bool) -> Coordinates:
        """For parameters of these scales: v = w/scales where ``rescaled``, else v = w.

        A radius that the user asked for is measured in w.
        """
        factors = 1.0 / scales if rescaled else np.ones(scales.size)
        return Coordinates(factors, factors * scales if radius is None else factors, radius)


def oracle_in_coordinates(
    problem: Problem,
    inner: InnerSolver,
    w0: Vector,
    tol: float,
    clock: Clock,
    radius: float | None,
    *,
    rescales: bool,
) -> tuple[Oracle, Coordinates]:
    """The oracle in the coordinates of the metric, or of the parameters' scales where the method ``rescales``."""
    if problem.metric is not None:
        factors = np.sqrt(np.asarray(problem.metric, dtype=np.float64))
        problem = replace(problem, losses=RescaledLosses(problem.losses, factors), metric=None)
        return Oracle(problem, inner, w0 * factors, tol, clock), Coordinates.of_metric(factors, radius)
    oracle = Oracle(problem, inner, w0, tol, clock)
    declared = declared_scales(problem.losses)
    if radius is None:
        if declared is None:
            refuse_large(w0)
        else:
            refuse_extreme(declared, oracle.strong_convexity)
    at = oracle.evaluate(w0)
    if declared is None:
        scales = measured_scales(oracle, at)
    else:
        scales = reduced_by_strong_convexity(declared, oracle.strong_convexity, at)
    # Ordinary scales, rounded to powers of two, do not improve on the user's own coordinates.
    coordinates = Coordinates.of_scales(scales, radius, rescaled=rescales and not ordinary(scales))
    return oracle if coordinates.plain else oracle.rescaled(coordinates.factors), coordinates
