"""Starts of the fits of a grid of candidates, from the solutions so far."""

from __future__ import annotations

from math import log10
from typing import Any

import numpy as np

from ..._types import Vector
from ..fitting.candidate import Candidate

MOST_DECADES = 3.0
"""Penalties that differ by more decades than this are equally far."""


class WarmStarts:
    """Predicts the solution of a candidate.

    From its nearest neighbor b with the same penalty: w(c) = w(b) + (w(c) - w(b))^, where the difference is predicted
    by that of the solutions with the penalty before, w'(c) - w'(b). Its error is a mixed second difference of the
    solutions in penalty and worst weight: on three tables Newton's method took a quarter fewer steps than from w(b).

    Where all candidates have been solved on other rows, those of the ``pilot``, the difference is predicted by theirs,
    v(c) - v(b), less the error of that prediction at the penalty before: w'(c) - w'(b) - (v'(c) - v'(b)) is added. What
    is left is a mixed third difference, in rows, penalty and worst weight.
    """

    def __init__(self, pilot: WarmStarts | None = None) -> None:
        self._pilot = pilot
        self._solved: dict[float, list[tuple[Candidate, Vector]]] = {}
        """By penalty, in the order of the fits."""

    def add(self, candidate: Candidate, w: Vector) -> None:
        """Remember the solution of a candidate."""
        self._solved.setdefault(candidate.l2, []).append((candidate, w))

    def predicted(self, candidate: Candidate) -> Vector | None:
        """Where to start; None for the first fit."""
        if not self._solved:
            return None if self._pilot is None else self._pilot.solution(candidate, candidate.l2)
        own = self._solved.get(candidate.l2)
        others = () if own else (solved for of_penalty in self._solved.values() for solved in of_penalty)
        neighbor, w = _nearest(candidate, own or list(others))
        by_pilot = None if self._pilot is None else self._pilot._change(candidate, neighbor)
        if not own:
            return w if by_pilot is None else w + by_pilot
        before = self._penalty_before(candidate.l2)
        change = None if before is None else self._change(candidate, neighbor, before)
        if by_pilot is None:
            return w if change is None else w + change
        error = None if self._pilot is None else self._pilot._change(candidate, neighbor, before)
        return w + by_pilot if change is None or error is None else w + by_pilot + (change - error)

    def solution(self, candidate: Candidate, l2: float) -> Vector | None:
        """The solution with the candidate's worst weight and prior, and with this penalty."""
        for other, w in self._solved.get(l2, []):
            if alike(other, candidate):
                return w
        return None

    def _penalty_before(self, l2: float) -> float | None:
        """The one whose fits began before those of this one: of fits side by side, later ones may have begun."""
        penalties = list(self._solved)
        place = penalties.index(l2)
        return penalties[place - 1] if place else None

    def _change(self, candidate: Candidate, neighbor: Candidate, l2: float | None = None) -> Vector | None:
        """From the neighbor's solution to the candidate's, with their own penalties or with another one."""
        there, here = (self.solution(c, c.l2 if l2 is None else l2) for c in (candidate, neighbor))
        return None if there is None or here is None else there - here


def alike(a: Candidate, b: Candidate) -> bool:
    """Whether two candidates differ in the penalty alone."""
    return a.worst_weight == b.worst_weight and _apart(a, b) == 0.0


def _nearest(candidate: Candidate, solved: list[tuple[Candidate, Vector]]) -> tuple[Candidate, Vector]:
    """The nearest candidate, of equally near ones the last."""
    return min(reversed(solved), key=lambda pair: _distance(candidate, pair[0]))


def _distance(a: Candidate, b: Candidate) -> float:
    """Tenfold penalties count as much as the whole way from the average to the worst group."""
    penalties = abs(log10((a.l2 + 1e-300) / (b.l2 + 1e-300)))
    return abs(a.worst_weight - b.worst_weight) + _apart(a, b) + min(penalties, MOST_DECADES)


def _apart(a: Candidate, b: Candidate) -> float:
    """The distance of the priors; weights for each group are either the same or far."""
    priors: Any = (a.prior, b.prior)
    if all(isinstance(prior, float) for prior in priors):
        return float(abs(priors[0] - priors[1]))
    return 0.0 if a.prior is b.prior else float(not np.array_equal(a.prior, b.prior))
