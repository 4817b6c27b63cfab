"""Models whose point on the path is chosen by held-out rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from ..data.retained import Retained, Trained
from ..data.rows import Rows
from ..fitting.candidate import Candidate
from ..fitting.reference import References
from ..fitting.setting import Setting
from ..fitting.trainer import Trainer
from ..groups.group_input import refuse_rows
from ..selection.choosing import best_average, choose_candidate, read_rule
from ..selection.drawn_rows import Drawn, read_selection_rows
from ..selection.grid import AUTO, PRIORS, WORST_WEIGHTS, make_candidates, parameters_of, penalties_of
from ..selection.making import make_selection
from ..selection.out_of_fold import out_of_fold
from ..selection.scores import find_score
from ..selection.selection import Selection
from .arguments import refusing_unknown, refusing_unknown_parameters
from .base import LinearMinimax
from .classifier import LinearClassifier
from .regressor import LinearRegressor


class CrossValidated(LinearMinimax):
    """The candidate that is chosen by cross-validation; base of MinimaxClassifierCV and MinimaxRegressorCV."""

    @refusing_unknown_parameters
    def __init__(
        self,
        worst_weights: Any = WORST_WEIGHTS,
        *,
        priors: Any = PRIORS,
        l2s: Any = AUTO,
        cv: Any = 5,
        repeats: int = 2,
        rule: str = "one_se",
        scoring: Any = None,
        selection_rows: Any = "auto",
        loss: Any = "auto",
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
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.worst_weights = worst_weights
        self.priors = priors
        self.l2s = l2s
        self.cv = cv
        self.repeats = repeats
        self.rule = rule
        self.scoring = scoring
        self.selection_rows = selection_rows
        self.loss = loss
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
        self.n_jobs = n_jobs
        self.random_state = random_state

    @refusing_unknown
    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> Self:
        """Choose a candidate by cross-validation, and fit it to all rows.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight
            As in `MinimaxClassifier.fit`.
        """
        read_rule(self.rule)
        read_selection_rows(self.selection_rows)
        refuse_rows(self.group_by, type(self).__name__)
        trained = self._fit_rows(self._read_rows(X, y, sensitive_features, sample_weight))
        self._retained = Retained.of(X, y, sensitive_features, sample_weight, trained)
        return self

    def _fit_rows(self, rows: Rows) -> Trained:
        """Choose a candidate by rows that have been read, and fit it to them."""
        setting = self._setting(rows)
        chosen, selection, trained = self._choose(rows, setting)
        trainer = Trainer(rows, setting)
        setting.observer.begin_fit("the chosen model on all rows")
        fit = trainer.fit(chosen, reference=References(trainer).at(chosen.l2))
        self._keep(fit, rows)
        self.worst_weight_, self.prior_, self.l2_ = chosen.worst_weight, chosen.prior, chosen.l2
        self.selection_ = replace(selection, bound=trainer.bound(fit.result.w, chosen.l2))
        return trained

    def _choose(self, rows: Rows, setting: Setting) -> tuple[Candidate, Selection, Trained]:
        """The choice by held-out rows. What it takes of memory is free again when the choice is fitted to all rows."""
        rule, l2s = read_rule(self.rule), penalties_of(self.l2s, classes=setting.n_classes > 0)
        candidates = make_candidates(self.worst_weights, self.priors, l2s, rows.groups.names)
        score = find_score(self.scoring, setting.loss, getattr(self, "classes_", None))
        drawn = Drawn.of(self.cv, self.repeats, rows, setting.n_classes, self.selection_rows, self.random_state)

        scores = out_of_fold(drawn.rows, setting, candidates, drawn.splits, score, self.n_jobs).scores
        average = best_average(scores, candidates, drawn.rows)
        choice = choose_candidate(scores, drawn.rows, average, rule)
        selection = make_selection(
            parameters_of(candidates),
            scores,
            drawn.rows,
            choice,
            rule=rule,
            scoring=score.name,
            n_table_rows=len(rows),
        )
        return candidates[choice.chosen], selection, Trained.by(rows, scores, drawn.index, drawn.rows.weight)

    def _candidate(self, rows: Rows) -> Candidate:
        """The point of the path that was chosen."""
        return Candidate(self.worst_weight_, self.prior_, self.l2_)


class MinimaxClassifierCV(CrossValidated, LinearClassifier):
    """A linear classifier between the best average and the best worst group, chosen by held-out rows.

    Candidates are all combinations of ``worst_weights``, ``priors`` and ``l2s`` (see `MinimaxClassifier`). Every one is
    fitted on every fold, and judged by its losses on the rows that the fold leaves out. The average model is kept
    unless a candidate does better for the worst group than chance explains among so many candidates, and by more than
    it costs all rows on average; ``print(model.selection_)`` says which it was, and why.

    Parameters
    ----------
    worst_weights : list of float
        Values of p between 0, the average, and 1, the worst group. 0 is always among them.
    priors : list
        Weights of the groups in the average: numbers from 0 (shares of the rows) to 1 (all groups alike), "shares",
        "balanced", or a weight for each group. 0 is always among them.
    l2s : list of float, or "auto"
        Penalties; "auto" is 1e-4, 1e-3, 1e-2, 1e-1 for classes, and ten times as much for numbers.
    cv : int, splitter or list of splits
        The number of folds, which are stratified by group and target; or splits of scikit-learn. Where several rows
        belong to one person: ``list(GroupKFold(5).split(X, y, person))``.
    repeats : int
        How many times folds are drawn, where ``cv`` is their number; the losses of a row are averaged. With one draw
        the choice depends more on chance.
    rule : "one_se" or "best"
        "one_se": of the candidates whose gain is confirmed, those whose worst-group loss exceeds the least one by at
        most one standard error of the difference (row by row, in their worst group), and of these the least average
        loss. "best": the least worst-group loss, whatever its noise.
    scoring : str or callable
        What is compared: "loss" (the default), "error_rate", "false_negative_rate", "false_positive_rate", "brier", or
        a function of (y, prediction) that returns one number per row, NaN for rows that do not count.
    selection_rows : "auto", int or None
        How many rows the choice is made by. "auto": all, or of a table of more than 200,000 (and more than 100 per
        column) a random sample of about so many, which keeps most of small groups and rare classes and weights its rows
        accordingly; a number: at most about so many; None: all. The chosen candidate is fitted to all rows.
    random_state : int
        Draws the folds, and the sample of ``selection_rows``.
    loss, regularizer, reference, group_by, keep_group_columns, crossed, min_group_size, missing_groups, \
fit_intercept, standardize, method, tol, max_iter, n_jobs
        As in `MinimaxClassifier`. ``n_jobs`` are the folds that are fitted at a time, in processes, each of
        which takes seconds to start: it pays for minutes of work.

    Attributes
    ----------
    selection_ : Selection
        All candidates with their held-out losses, the choice, and why, in words.
    worst_weight_, prior_, l2_
        The chosen candidate.
    classes_, coef_, intercept_, group_names_, group_losses_, group_weights_, gap_, certified_, result_, ...
        As in `MinimaxClassifier`, of the chosen candidate fitted to all rows.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> rng = np.random.default_rng(0)
    >>> X, town = rng.standard_normal((2000, 2)), np.repeat(["big", "small"], [1600, 400])
    >>> y = X[:, 0] + np.where(town == "big", 1.0, -0.5) * X[:, 1] + rng.logistic(size=2000) > 0
    >>> model = sb.MinimaxClassifierCV().fit(X, y, sensitive_features=town)
    >>> model.selection_.group, model.selection_.nothing_to_gain
    ('small', False)
    """


class MinimaxRegressorCV(CrossValidated, LinearRegressor):
    """A linear regressor between the best average and the best worst group, chosen by held-out rows.

    As `MinimaxClassifierCV`, for the losses of `MinimaxRegressor`.

    Parameters
    ----------
    worst_weights, priors, l2s, cv, repeats, rule, selection_rows, random_state
        As in `MinimaxClassifierCV`.
    scoring : str or callable
        "loss" (the default), "squared_error", "absolute_error", or a function of (y, prediction) that returns one
        number per row.
    loss, regularizer, reference, group_by, keep_group_columns, crossed, min_group_size, missing_groups, \
fit_intercept, standardize, method, tol, max_iter, n_jobs
        As in `MinimaxRegressor`.

    Attributes
    ----------
    selection_, worst_weight_, prior_, l2_
        As in `MinimaxClassifierCV`.
    coef_, intercept_, group_names_, group_losses_, group_weights_, gap_, certified_, result_, ...
        As in `MinimaxRegressor`, of the chosen candidate fitted to all rows.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> rng = np.random.default_rng(0)
    >>> X, town = rng.standard_normal((500, 2)), np.arange(500) % 2
    >>> y = X[:, 0] + rng.standard_normal(500)
    >>> sb.MinimaxRegressorCV().fit(X, y, sensitive_features=town).selection_.nothing_to_gain
    True
    """
