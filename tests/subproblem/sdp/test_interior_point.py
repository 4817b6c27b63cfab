"""The interior-point method for semidefinite programs: what its gap promises, and how many steps it takes."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.linalg import svec
from saddleback.subproblem.sdp.interior_point import InteriorPoint
from saddleback.subproblem.sdp.pencil import DensePencil


def program(seed: int, k: int = 5, n: int = 3) -> tuple[InteriorPoint, np.ndarray]:
    """min t + 1/2 sum a_i p_i^2 with t I >= C + sum p_i F_i, for C without a trace and of spread one."""
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((svec.length(k), n))
    columns /= np.linalg.norm(columns, axis=0)
    C = svec.unpack(rng.standard_normal(svec.length(k)))
    C -= np.trace(C) / k * np.eye(k)
    C /= np.linalg.eigvalsh(C)[-1]
    return InteriorPoint(C, DensePencil(k, columns), rng.uniform(0.5, 2.0, n)), svec.unpack(columns.T.copy())


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_bounds_the_error_of_every_iterate(seed: int) -> None:
    """p from above: its value; X from below: the dual value of X/tr X. Both from the definitions."""
    problem, F = program(seed)
    seen = 0
    for at in problem.iterates():
        value = np.linalg.eigvalsh(problem.C + np.tensordot(at.p, F, 1))[-1] + 0.5 * problem.a @ at.p**2
        X = at.X / np.trace(at.X)
        inner = np.tensordot(F, X, 2)
        # min over p of <X, C + sum p_i F_i> + 1/2 sum a_i p_i^2.
        bound = np.tensordot(X, problem.C, 2) - 0.5 * inner @ (inner / problem.a)
        gap = problem.gap(at)
        assert -1e-13 <= value - bound <= gap * (1 + 1e-9) + 1e-13
        seen += 1
        if gap <= 1e-10:
            break
    assert gap <= 1e-10
    # Mehrotra's steps on random programs of this size: about ten, and twice as many where a formula of the corrector is
    # wrong.
    assert seen <= 14


def test_a_large_residual_counts() -> None:
    """At the start X = I/k and p = 0: <F_i, X> is not zero, and the gap says so although <X, Z> alone would not."""
    problem, F = program(0)
    at = next(iter(problem.iterates()))
    inner = np.tensordot(F, at.X, 2)
    own = float(np.tensordot(at.X, at.Z, 2))
    assert problem.gap(at) >= own + 0.5 * inner @ (inner / problem.a)
