"""Fits of any number of candidates to the same rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Matrix, Vector
from ...dual_sets import Contamination, DualSet
from ...engine.progress import Callback, Progress
from ...errors import ProblemError
from ...losses import GroupedLinear, Losses
from ...losses.standardized import StandardizedLosses
from ...methods import AUTO, choose_method
from ...problem import Problem
from ...result import Result, Status
from ...solve import solve
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from ..groups.titles import titles_of
from .candidate import Candidate
from .observer import NOBODY, Iteration
from .prepared import Prepared
from .region import among
from .setting import Setting


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model, in the user's units, and the run that found it."""

    coef: Matrix
    """(K, d); K = 1 where there is one margin per row."""
    intercept: Vector
    """(K,)."""
    losses: Vector
    """The mean loss of each group on the rows of the fit, without the penalty; NaN for a group without rows."""
    result: Result
    """In standardized units: ``result.w`` is a start for the fit of a neighboring candidate."""

    def margins(self, rows: Rows) -> Vector | Matrix:
        """x'w + b + offset, of shape (n,), or (n, K) for K > 1 classes."""
        product = rows.X.product(self.coef).T if isinstance(rows.X, RemoteMatrix) else np.asarray(rows.X @ self.coef.T)
        eta = product + self.intercept
        eta = eta if len(self.coef) > 1 else eta[:, 0]
        return eta if rows.offset is None else eta + rows.offset


@dataclass(frozen=True)
class TrainingBound:
    """The largest loss of a group on the training rows, with the penalty, and a bound of it."""

    value: float
    """Of the fitted model."""
    lower_bound: float
    """No linear model with the penalty ``l2`` has less."""
    certified: bool
    l2: float
    result: Result
    """The run that found the bound: the worst-group model."""

    @property
    def gap(self) -> float:
        """How much lower the largest loss of a group can be, at most."""
        return max(self.value - self.lower_bound, 0.0)

    @property
    def region(self) -> str:
        """Where the bound holds, as the end of a sentence; empty for everywhere."""
        return among(self.result.reach, self.l2)


class Trainer:
    """The losses of some rows, prepared once; ``fit`` solves the problem of a candidate.

    Groups without rows are left out. ``prepared`` are losses of these rows that have been made already.
    """

    def __init__(self, rows: Rows, setting: Setting, prepared: Prepared | None = None) -> None:
        self.rows, self.setting = rows, setting
        prepared = Prepared.of(rows, setting) if prepared is None else prepared
        self.losses, self.standardization, self.nonempty = prepared.losses, prepared.standardization, prepared.nonempty
        """Losses without a penalty; the numbers of the groups that have rows."""
        self._center = prepared.center
        self.shares: Vector = prepared.weights / prepared.weights.sum()
        """The weight of each group that is present, of sum 1."""
        self._problems: dict[tuple[float, float | bytes], Problem] = {}
        """By worst weight and prior: those of other penalties take over what is known of the adversary."""

    def problem(self, candidate: Candidate, reference: Vector | None = None) -> Problem:
        """The candidate's objective on these rows, with these reference losses of the groups that are present."""
        losses, regularizer = self.penalized(candidate.l2), self.setting.regularizer
        if reference is not None:
            return Problem(losses, self._dual_set(candidate), regularizer, reference=reference)
        prior = candidate.prior
        point = candidate.worst_weight, prior if isinstance(prior, float) else prior.tobytes()
        if point not in self._problems:
            self._problems[point] = Problem(losses, self._dual_set(candidate), regularizer)
        return self._problems[point].with_losses(losses)

    def _dual_set(self, candidate: Candidate) -> DualSet:
        if self.setting.dual_set is not None:
            return self.setting.dual_set
        return Contamination(candidate.worst_weight, candidate.weights(self.shares, self.nonempty))

    def fit(
        self,
        candidate: Candidate,
        start: Vector | None = None,
        reference: Vector | None = None,
        *,
        tol: float | None = None,
        change: Callable[[Any], Losses] | None = None,
    ) -> Fit:
        """Solve the problem of a candidate, from ``start`` in standardized units.

        ``change`` makes other objects of the losses, whose values are the same.
        """
        setting, problem = self.setting, self.problem(candidate, reference)
        if change is not None:
            problem = problem.with_losses(change(problem.losses))
        # The start is the solution of a neighboring candidate.
        near = setting.method == AUTO and start is not None
        result = solve(
            problem,
            w0=start,
            method=choose_method(problem.losses, problem.adversary, near=True) if near else setting.method,
            tol=setting.tol if tol is None else tol,
            max_iter=setting.max_iter,
            callback=self._callback(candidate.l2),
        )
        _go_on(result)
        return self._fit_of(result, candidate.l2)

    def bound(self, w: Vector, l2: float) -> TrainingBound:
        """How much lower than with parameters w the largest loss of a group can be on these rows."""
        losses = self.penalized(l2)
        result = solve(Problem(losses), w0=w, tol=self.setting.tol, max_iter=self.setting.max_iter)
        _go_on(result)
        return TrainingBound(float(losses.values(w).max()), result.lower_bound, result.certified, l2, result)

    def without_correction(self, l2: float) -> tuple[Fit, TrainingBound]:
        """w = 0: the offsets are the margins. The run of the fit is that of the bound with penalty l2."""
        K, d = self.n_outputs, self.rows.X.shape[1]
        w = self.standardized(np.zeros((K, d)), np.zeros(K))
        bound = self.bound(w, l2)
        losses = np.full(len(self.rows.groups.names), np.nan)
        losses[self.nonempty] = self.losses.values(w)
        return Fit(np.zeros((K, d)), np.zeros(K), losses, bound.result), bound

    @property
    def n_outputs(self) -> int:
        """Margins per row: the number of classes for softmax, else one."""
        d = self.rows.X.shape[1]
        return self.losses.n_params // (d + self.setting.fit_intercept)

    def standardized(self, coef: Matrix, intercepts: Vector) -> Vector:
        """The parameters w of a model in the user's units."""
        W, b = self.standardization.from_user(coef, intercepts - self._center)
        return np.concatenate([W.ravel(), b]) if self.setting.fit_intercept else W.ravel()

    def penalized(self, l2: float) -> GroupedLinear | StandardizedLosses:
        """The losses with a penalty."""
        return self.losses.with_l2(l2 * self.setting.units.penalty)

    def _split(self, w: Vector) -> tuple[Matrix, Vector]:
        K, d = self.n_outputs, self.rows.X.shape[1]
        return w[: K * d].reshape(K, d), w[K * d :] if self.setting.fit_intercept else np.zeros(K)

    def _callback(self, l2: float) -> Callback | None:
        """What tells the observer of every iteration; None where nobody watches."""
        observer = self.setting.observer
        if observer is NOBODY:
            return None
        groups = self.rows.groups
        titles = [title or str(name) for title, name in zip(titles_of(groups), groups.names, strict=True)]

        def tell(now: Progress) -> None:
            W, j = self._split(now.w)[0], int(now.losses.argmax())
            loss = float(now.losses[j]) - self._penalty(W, l2)
            observer.iterate(Iteration(now.n_iter, now.value, now.gap, titles[self.nonempty[j]], loss))

        return tell

    def _penalty(self, W: Matrix, l2: float) -> float:
        """l2/2 |W|^2, in the unit of the losses."""
        return 0.5 * l2 * self.setting.units.penalty * float((W * W).sum())

    def _fit_of(self, result: Result, l2: float) -> Fit:
        W, intercepts = self._split(result.w)
        losses = np.full(len(self.rows.groups.names), np.nan)
        losses[self.nonempty] = result.losses - self._penalty(W, l2)
        if len(W) > 1:
            # The same number in all intercepts of softmax changes nothing: they sum to zero.
            intercepts = intercepts - intercepts.mean()
        coef, intercepts = self.standardization.to_user(W, intercepts)
        _refuse_overflow(coef, self.standardization.scale)
        return Fit(coef, intercepts + self._center, losses, result)


def _go_on(result: Result) -> None:
    """Pass on an interruption: the best point of a run that was cut off is no model, and no other fit may begin."""
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt


def _refuse_overflow(coef: Matrix, scale: Vector) -> None:
    """Refuse coefficients that are too large for a number because the values of their column are so small."""
    column = int(np.argmin(np.isfinite(coef).all(axis=0)))
    if not np.isfinite(coef[:, column]).all():
        raise ProblemError(
            f"the values of column {column} of X are too small, with a standard deviation of {scale[column]:.1e}: its "
            "coefficient is not finite. Multiply the column by a constant."
        )
