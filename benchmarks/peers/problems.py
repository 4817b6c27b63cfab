"""An assignment as a Saddleback problem, for its own job and for grading all answers."""

from __future__ import annotations

import numpy as np

import saddleback as sb

from .assignment import CHI2, CVAR, WORST_SQUARED, Assignment


def problem_of(task: Assignment) -> sb.Problem:
    """Every row its own loss if the adversary weighs rows; evaluated once, because that may compile."""
    loss = "squared" if task.kind == WORST_SQUARED else "logistic"
    groups = "rows" if task.kind in (CHI2, CVAR) else task.groups
    losses = sb.GroupedLinear(task.X, task.y, groups, loss=loss, l2=task.l2, fit_intercept=task.fit_intercept)
    losses.evaluate(np.zeros(losses.n_params))
    if task.kind == CHI2:
        return sb.Problem(losses, sb.Chi2Ball(task.level))
    if task.kind == CVAR:
        return sb.Problem(losses, sb.CappedSimplex(task.level))
    return sb.Problem(losses)
