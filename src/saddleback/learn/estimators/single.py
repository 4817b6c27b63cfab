"""The fit of one model at a given point of the path."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs

from ..._types import Vector
from ..._validation import flag, number
from ...errors import ProblemError
from ..data.jobs import read_n_jobs
from ..data.retained import Retained, Trained
from ..data.rows import Rows
from ..fitting.candidate import Candidate, read_prior, read_share
from ..fitting.reference import References
from ..fitting.trainer import Trainer
from ..groups.group_input import ROWS
from .arguments import refusing_unknown, refusing_unknown_parameters
from .base import LinearMinimax


class SingleModel(LinearMinimax):
    """One candidate, told by ``worst_weight``, ``prior`` and ``l2``; base of MinimaxClassifier and MinimaxRegressor."""

    @refusing_unknown_parameters
    def __init__(
        self,
        worst_weight: float = 1.0,
        *,
        l2: float = 1e-3,
        loss: Any = "auto",
        prior: Any = "shares",
        dual_set: Any = None,
        regularizer: Any = None,
        reference: Any = None,
        group_by: Any = None,
        keep_group_columns: bool = False,
        crossed: bool = True,
        min_group_size: int | None = None,
        missing_groups: str = "error",
        fit_intercept: bool = True,
        standardize: bool = True,
        method: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 1000,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.worst_weight = worst_weight
        self.l2 = l2
        self.loss = loss
        self.prior = prior
        self.dual_set = dual_set
        self.regularizer = regularizer
        self.reference = reference
        self.group_by = group_by
        self.keep_group_columns = keep_group_columns
        self.crossed = crossed
        self.min_group_size = min_group_size
        self.missing_groups = missing_groups
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.method = method
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @refusing_unknown
    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : (n, d) matrix
            Numbers: an array, a sparse matrix or a data frame of pandas, Polars or Arrow; an array or a data frame of
            Dask, whose rows stay on its workers; or a `FileTable`, whose rows are read from its files in every pass.
        y : (n,) array
            The target. Where X is a `FileTable` of Parquet files, y, ``sensitive_features`` and ``sample_weight`` may
            be names of its columns (a list of them for groups), which are then no features.
        sensitive_features : labels, data frame or dict of columns, optional
            The groups of the rows, where they are not columns of X (``group_by``). Several columns are crossed unless
            ``crossed=False``.
        sample_weight : (n,) array, optional
            Weights >= 0; weight 2 is the same as two rows.
        """
        previous = self._previous()
        self._check_dual_set()
        read_share(self.worst_weight, "worst_weight")
        number(self.l2, "l2", minimum=0.0)
        rows = self._read_rows(X, y, sensitive_features, sample_weight)
        trained = self._fit_rows(rows, previous)
        self._retained = Retained.of(X, y, sensitive_features, sample_weight, trained)
        return self

    def _fit_rows(self, rows: Rows, previous: tuple[Any, Any] | None = None) -> Trained:
        """Fit the model to rows that have been read, from the coefficients of a previous fit."""
        candidate = self._candidate(rows)
        self._check_weights_of_rows(candidate, rows)
        setting = self._setting(rows)
        trainer = Trainer(rows, setting)
        setting.observer.begin_fit("the model on all rows")
        start = self._start(trainer, previous, rows)
        self._keep(trainer.fit(candidate, start, References(trainer).at(candidate.l2)), rows)
        return Trained(rows)

    def _candidate(self, rows: Rows) -> Candidate:
        """The point of the path that is fitted."""
        worst_weight, l2 = read_share(self.worst_weight, "worst_weight"), number(self.l2, "l2", minimum=0.0)
        return Candidate(worst_weight, read_prior(self.prior, rows.groups.names), l2)

    def _n_threads(self) -> int | None:
        return None if read_n_jobs(self.n_jobs) is None else effective_n_jobs(self.n_jobs)

    def _check_dual_set(self) -> None:
        if self.dual_set is not None and (self.worst_weight, self.prior) != (1.0, "shares"):
            raise ProblemError(
                f"dual_set={self.dual_set!r} takes the place of worst_weight and prior; got worst_weight="
                f"{self.worst_weight!r}, prior={self.prior!r}. Leave these out, or the dual_set."
            )

    def _check_weights_of_rows(self, candidate: Candidate, rows: Rows) -> None:
        """Refuse weights of rows that are groups themselves, where the adversary would not know them."""
        weighted = rows.weight is not None and bool(np.ptp(rows.weight))
        plain = self.dual_set is None and self.regularizer is None and candidate.has_shares
        if weighted and not plain and isinstance(self.group_by, str) and self.group_by == ROWS:
            raise ProblemError(
                "sample_weight has no effect on a dual_set, a regularizer or a prior over single rows; got weights "
                "with group_by='rows'. Repeat the rows, or give the weights to the set, as in CappedSimplex(alpha, "
                "prior=weights / weights.sum())."
            )

    def _previous(self) -> tuple[Any, Any] | None:
        """The coefficients of the fit before, for a warm start."""
        if not flag(self.warm_start, "warm_start") or getattr(self, "coef_", None) is None:
            return None
        return np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)

    def _start(self, trainer: Trainer, previous: tuple[Any, Any] | None, rows: Rows) -> Vector | None:
        if previous is None or previous[0].shape != (trainer.n_outputs, rows.X.shape[1]):
            return None
        return trainer.standardized(*previous)
