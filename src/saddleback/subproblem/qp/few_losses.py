"""(D) with few losses on the simplex and R = 0: an active-set method from the last lam, before PIQP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dasum
from scipy.linalg.lapack import dgesv

from ..._types import Matrix, Vector
from ...dual_sets import Simplex
from ...regularizers import Zero
from ..dual_subproblem import DualSubproblem
from ..incumbent import Incumbent


@dataclass(frozen=True)
class FewLossesControl:
    """The numbers of `refine_few`."""

    most_losses: int = 32
    """Above it Q may be a product of factors that is not formed, and calls no longer dominate the time."""
    rounds: int = 8
    """The most faces: a round takes about a sixth of the time of PIQP, and four of five problems take one or two."""
    at_bound: float = 1e-9
    """A weight of the start up to this is assumed to be zero."""
    regularization: float = 1e-13
    """Added to Q/scale, because Q may be singular; the corrections remove its effect."""
    corrections: int = 2
    """Further solves on a face whose multipliers are right: each solves for a change of lam."""
    feasibility: float = 1e-9
    """A weight that is negative by more blocks the way to the solution of a face; a smaller one is set to zero."""


CONTROL = FewLossesControl()


def has_few_losses(subproblem: DualSubproblem) -> bool:
    """Whether `refine_few` applies."""
    adversary = subproblem.adversary
    few = 1 < subproblem.c.size <= CONTROL.most_losses
    return few and type(adversary.dual_set) is Simplex and type(adversary.regularizer) is Zero


def refine_few(subproblem: DualSubproblem, incumbent: Incumbent, start: Vector) -> int:
    """Primal active-set method for min 1/2 lam'Q lam - c'lam on the simplex (Nocedal and Wright, Algorithm 16.3).

    The method of `active_set.refine` with as few calls of NumPy as possible, as calls dominate the time of small
    problems. It starts at a lam in Lambda. Each round solves the equality-constrained problem of the m positive
    weights (2/3 m^3 flops), drops the first weight that becomes zero on the way there, or else offers the solution to
    the incumbent and adds the loss that is largest in it. Returns the rounds.
    """
    Q, c, scale, n = subproblem.Q, subproblem.c_tangent, subproblem.scale, subproblem.c.size
    x = start
    z = c - Q.dot(x)
    incumbent.take(x, -float(x.dot(z - z.item(z.argmax()))))
    if incumbent.done or not scale > 0.0:
        return 0
    free = x > CONTROL.at_bound
    rounds, corrections = 1, 0
    while rounds <= CONTROL.rounds:
        index = free.nonzero()[0]
        m = index.size
        block, slack, before = Q, z, x
        if m < n:
            block, slack, before = Q.take(index, 0).take(index, 1), z.take(index), x.take(index)
        change = _change(block / scale, slack / scale)
        after = before + change
        least = after.item(after.argmin())
        if least != least:
            return rounds
        blocked = least < -CONTROL.feasibility
        if blocked:
            falling = (after < 0.0).nonzero()[0]
            lengths = before[falling] / -change[falling]
            k = lengths.argmin()
            after = before + lengths.item(k) * change
            after[falling[k]] = 0.0
            free[index[falling[k]]] = False
        x = np.maximum(after, 0.0)
        if m < n:
            x, positive = np.zeros(n), x
            x[index] = positive
        x /= dasum(x)
        z = c - Q.dot(x)
        if blocked:
            rounds, corrections = rounds + 1, 0
            continue
        largest = z.argmax()
        incumbent.take(x, -float(x.dot(z - z.item(largest))))
        if incumbent.done:
            return rounds
        if not free[largest]:
            free[largest] = True
            rounds, corrections = rounds + 1, 0
        elif corrections == CONTROL.corrections:
            return rounds
        else:
            corrections += 1
    return CONTROL.rounds


def _change(P: Matrix, slack: Vector) -> Vector:
    """The change of lam on a face, whose sum is zero, after which all ``slack - P change`` are equal."""
    m = slack.size
    K = np.empty((m + 1, m + 1))
    K.fill(1.0)
    K[:m, :m] = P
    K.ravel()[:: m + 2] += CONTROL.regularization
    K[m, m] = 0.0
    b = np.zeros(m + 1)
    b[:m] = slack
    # LAPACK reads matrices by columns; K is symmetric, so that its transpose needs no copy.
    change: Vector = dgesv(K.T, b, overwrite_a=1, overwrite_b=1)[2][:m]
    return change
