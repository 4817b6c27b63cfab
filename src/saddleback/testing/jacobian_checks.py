"""The Jacobian of losses against differences of their values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Matrix, Vector
from .derivatives import Slope, along
from .failures import show
from .losses_sample import LossesSample, unit_vector


def jacobian(s: LossesSample) -> Iterator[str]:
    verified = np.zeros(s.J, dtype=bool)
    rough = None
    for w in s.points:
        G = s.jacobian(w)
        found = _wrong_rows(s, w, G)
        verified |= found.verified
        rough = found.rough or rough
        if found.misses:
            yield _describe(s, w, G, found)
    if not verified.all() and rough is not None:
        j = int(np.argmin(verified))
        yield (
            f"row {j} of the Jacobian cannot be verified: finite differences of loss {j} do not converge, for "
            f"example {rough}. The loss is not differentiable there, or its values carry large errors."
        )


class _Found:
    """Differences at one point, compared with each row."""

    def __init__(self, J: int) -> None:
        self.verified = np.zeros(J, dtype=bool)
        self.misses: dict[int, tuple[float, Vector, float, float]] = {}
        """By loss: how many times the tolerance, direction, expected, got."""
        self.columns: dict[int, Vector] = {}
        """By coordinate: what differences give for all losses."""
        self.rough: str | None = None


def _wrong_rows(s: LossesSample, w: Vector, G: Matrix) -> _Found:
    found = _Found(s.J)
    sizes = np.linalg.norm(G, axis=1)
    for u in s.directions():
        slope = _slope(s, w, u)
        got = G @ u
        scale = np.maximum(sizes, slope.variation)
        clear = slope.rough(scale) <= 0
        found.verified |= clear
        if not clear.all():
            j = int(np.argmin(clear))
            found.rough = f"at w = {show(w)} in the direction {show(u)} ({slope.value[j]:.4g} +- {slope.error[j]:.2g})"
        ratio = np.abs(got - slope.value) / np.maximum(slope.tolerance(scale) + s.precision * scale, 1e-300)
        if np.count_nonzero(u) == 1:
            found.columns[int(np.argmax(u))] = slope.value
        for j in np.flatnonzero(clear & ~(ratio <= 1.0)).tolist():
            if j not in found.misses or ratio[j] > found.misses[j][0]:
                found.misses[j] = (float(ratio[j]), u, float(slope.value[j]), float(got[j]))
    return found


def _slope(s: LossesSample, w: Vector, u: Vector) -> Slope:
    return s.slope(along(s.values, w, u), s.noise)


def _describe(s: LossesSample, w: Vector, G: Matrix, found: _Found) -> str:
    j = max(found.misses, key=lambda j: found.misses[j][0])
    _, u, expected, got = found.misses[j]
    hint = "Correct its formula."
    if len(found.columns) == s.d:
        truth = np.array([found.columns[i] for i in range(s.d)]).T
        error = G[j] - truth[j]
        worst = int(np.argmax(np.abs(error)))
        u = error / np.linalg.norm(error)
        expected, got = float(truth[j] @ u), float(G[j] @ u)
        if s.d == s.J and np.allclose(G.T, truth, rtol=1e-4, atol=1e-4 * float(np.abs(truth).max())):
            hint = "Its transpose is right: return one row per loss, one column per parameter."
    else:
        worst = _culprit(s, w, G, j, u)
    at_worst = float(_slope(s, w, unit_vector(s.d, worst)).value[j])
    return (
        f"row {j} of the Jacobian is not the gradient of loss {j} at w = {show(w)}: in the direction {show(u)} finite "
        f"differences give {expected:.8g}, the row {got:.8g}. The worst coordinate is {worst}: expected "
        f"{at_worst:.8g}, got {G[j, worst]:.8g}. Rows that disagree: {sorted(found.misses)}. {hint}"
    )


def _culprit(s: LossesSample, w: Vector, G: Matrix, j: int, u: Vector) -> int:
    """A coordinate in which row j is wrong, by halving the direction u in which it is."""
    chosen = np.flatnonzero(u)
    while chosen.size > 1:
        halves = np.array_split(chosen, 2)
        misses = []
        for half in halves:
            part = np.zeros(s.d)
            part[half] = u[half]
            misses.append(abs(float(G[j] @ part - _slope(s, w, part).value[j])))
        chosen = halves[int(np.argmax(misses))]
    return int(chosen[0])
