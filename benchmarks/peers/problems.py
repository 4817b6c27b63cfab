"""An assignment as Saddleback takes it: for its own job, and to grade everybody's answers."""

from __future__ import annotations

import numpy as np

import saddleback as sb

from .assignment import CHI2, CVAR, WORST_SQUARED, Assignment


def problem_of(task: Assignment) -> sb.Problem:
    """With one group for each row where the adversary weighs rows; the first evaluation, which may compile, is made."""
    loss = "squared" if task.kind == WORST_SQUARED else "logistic"
    losses = sb.GroupedLinear(task.X, task.y, task.groups, loss=loss, l2=task.l2, fit_intercept=task.fit_intercept)
    losses.evaluate(np.zeros(losses.n_params))
    if task.kind == CHI2:
        return sb.Problem(losses, sb.Chi2Ball(task.level))
    if task.kind == CVAR:
        return sb.Problem(losses, sb.CappedSimplex(task.level))
    return sb.Problem(losses)
