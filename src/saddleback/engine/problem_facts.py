"""Facts about <lam, f> that hold for every lam in Lambda, derived from what the losses declare."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .._types import Vector
from .._validation import finite_vector, n_axes, number
from ..adversary import Adversary
from ..capabilities import offers
from ..errors import ProblemError
from ..losses.base import (
    HasHessian,
    HasHessianSample,
    HasLossHessians,
    HasSampledHessian,
    HasSampledLossHessians,
    HasSmoothness,
)
from ..losses.facts import LossFacts
from ..machine.clock import Clock
from ..problem import Problem

# A run needs g(w0). Its parts other than the losses (the range of the weights, the best response) may take this many
# seconds beyond the time limit.
GRACE_SECONDS = 1.0


class ProblemFacts:
    """Convexity, smoothness and boundedness of <lam, f> for every lam in Lambda, from what the losses declare."""

    def __init__(self, problem: Problem, clock: Clock) -> None:
        self.problem = problem
        self.clock = clock
        self.adversary: Adversary = problem.adversary.timed(clock)
        with clock.at_least(GRACE_SECONDS):
            self._least_sum, self._largest_sum = self.adversary.dual_set.weight_range(problem.n_losses)
        r = problem.reference
        self.reference: Vector = np.zeros(problem.n_losses) if r is None else np.asarray(r, dtype=np.float64)
        """r, which is subtracted from the losses; zeros where the problem has none."""
        self._facts = facts = LossFacts.of(problem.losses)
        of_each_loss = _per_coordinate(facts.strong_convexity, problem.n_params)
        self.strong_convexity = max(0.0, self._least_sum) * of_each_loss
        """m_i: <lam, f> - 1/2 sum_i m_i w_i^2 is convex for every lam in Lambda."""
        self.exact_jacobian = facts.exact_jacobian
        self.n_entries = facts.n_entries
        """How many numbers of data one evaluation reads."""

    @cached_property
    def offers_hessian(self) -> bool:
        return offers(self.problem.losses, HasHessian)

    @cached_property
    def offers_loss_hessians(self) -> bool:
        return offers(self.problem.losses, HasLossHessians)

    @cached_property
    def samples_hessian(self) -> bool:
        return offers(self.problem.losses, HasSampledHessian)

    @cached_property
    def samples_loss_hessians(self) -> bool:
        return offers(self.problem.losses, HasSampledLossHessians)

    @cached_property
    def samples_margins(self) -> bool:
        """Whether the sampled Hessian comes in two parts, of which one is computed once for each direction."""
        return offers(self.problem.losses, HasHessianSample)

    @cached_property
    def weights_are_fixed(self) -> bool:
        """Whether Lambda is a single point."""
        lower, upper = self.adversary.dual_set.bounds(self.problem.n_losses)
        return bool((lower == upper).all())

    @cached_property
    def convex(self) -> bool:
        """Whether <lam, f> is convex for every lam: convex losses and no weight below 0, or affine losses."""
        return (self._facts.convex and self._weights_not_negative) or self.affine

    @cached_property
    def bounded_below(self) -> bool:
        """Whether <lam, f> is bounded below for every lam: losses that are bounded below, and no weight below 0."""
        return self._facts.bounded_below and self._weights_not_negative

    @cached_property
    def smoothness(self) -> float | None:
        """L of <lam, f> for every lam in Lambda, where the losses offer theirs."""
        losses: Any = self.problem.losses
        if not offers(losses, HasSmoothness):
            return None
        L = losses.smoothness() if callable(losses.smoothness) else losses.smoothness
        return None if L is None else self._largest_sum * number(L, "losses.smoothness()", minimum=0.0)

    @cached_property
    def affine(self) -> bool:
        """Whether the losses declare L = 0.

        L of losses with a Hessian is not computed: they are not affine, and it can cost more than the run.
        """
        return not self.offers_hessian and self.smoothness == 0

    @cached_property
    def _weights_not_negative(self) -> bool:
        """Whether no lam has a weight below 0. A least sum of 0 does not imply it: (1, -1) has the sum 0."""
        if self._least_sum > 0.0:
            return True
        return bool(self.adversary.dual_set.bounds(self.problem.n_losses)[0].min() >= 0.0)


def _per_coordinate(strong_convexity: Any, d: int) -> Vector:
    name = "losses.strong_convexity"
    if type(strong_convexity) is float and strong_convexity == 0.0:
        return np.zeros(d)
    if n_axes(strong_convexity) == 0:
        m = np.repeat(finite_vector(strong_convexity, name), d)
    else:
        m = finite_vector(strong_convexity, name, d)
    if m.min() < 0:
        raise ProblemError(f"losses.strong_convexity must be >= 0; got {m.min():g}.")
    return m
