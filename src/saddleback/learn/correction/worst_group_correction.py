"""A certified correction of any model, for its worst-off group."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing

from ..._types import Vector
from ..data.features import read_input
from ..data.folds import make_splits
from ..data.jobs import read_n_jobs
from ..data.retained import Retained, Trained
from ..data.rows import Rows
from ..estimators.arguments import refusing_unknown, refusing_unknown_parameters
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.trainer import Trainer
from ..groups.group_input import EVERYBODY, refuse_rows
from ..selection.choosing import choose_candidate, read_rule
from ..selection.drawn_rows import Drawn, read_selection_rows
from ..selection.grid import L2S_OF_CORRECTIONS, PRIORS, WORST_WEIGHTS, make_candidates, parameters_of
from ..selection.making import make_selection
from ..selection.out_of_fold import out_of_fold
from ..selection.scores import find_score
from .corrected_model import CorrectedModel
from .cross_fitting import cross_fitted_margins
from .feature_columns import FeatureColumns
from .margins import MarginReader, margin_method
from .user_model import CLASSIFIER, UserModel, kind_of, some_rows, weight_parameters


class WorstGroupCorrection(CorrectedModel):
    """Any model, with a linear correction for its worst-off group where held-out rows show a gain.

    The margin becomes eta = o + x'w + b, where o is that of the user's model: the log odds of two classes, the log
    probabilities of more, the predicted number, the logarithm of a mean count. w = 0, b = 0 leaves the model alone.

    1. o of the training rows is cross-fitted: by clones of ``estimator`` that have not seen the row.
    2. Candidates (w, b) are all combinations of ``worst_weights``, ``priors`` and ``l2s``, as in
       `MinimaxClassifierCV`, and w = 0, b = 0. They are judged on the rows that the same folds leave out.
    3. The model is left alone unless a candidate does better for its worst-off group than chance explains, and by more
       than it costs all rows on average. Then the chosen correction is fitted to all rows with o as in 1, certified.
    4. Predictions are those of ``estimator`` fitted to all rows, plus the correction. Where there is none, they are
       exactly those of ``estimator``. ``print(model.selection_)`` says which it was, and why.

    The cost is that of ``cv`` + 1 fits of ``estimator``; corrections take little beside it.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``predict_proba`` or ``decision_function``, or a regressor, in scikit-learn's conventions; it
        is cloned, and not changed. One that is fitted already, in ``sklearn.frozen.FrozenEstimator``, is neither
        fitted again nor cross-fitted: then fit the correction on rows that are new to it.
    features : column, list of columns or transformer, optional
        What x is: some columns of X, by name or position, or what a transformer makes of X (fitted without y). By
        default all columns that the estimator is given, which must be numbers.
    l2s : list of float
        Penalties l2/2 |w|^2 of the correction.
    cv : int, splitter or list of splits
        The number of folds, which are stratified by group and target; or splits of scikit-learn that hold out every
        row once.
    loss : str or object
        By which rows are judged: "logistic" (for classifiers the same as "auto"), "squared" (for regressors), or
        another one of `MinimaxClassifier` or `MinimaxRegressor`.
    n_jobs : int, optional
        Folds that are fitted at a time, in processes, each of which takes seconds to start.
    worst_weights, priors, rule, scoring, selection_rows, group_by, keep_group_columns, crossed, min_group_size, \
missing_groups, fit_intercept, standardize, tol, max_iter, random_state
        As in `MinimaxClassifierCV`. Columns of ``group_by`` are given to the estimator if ``keep_group_columns=True``.

    Attributes
    ----------
    estimator_ : estimator
        The user's model, fitted to all rows.
    corrected_ : bool
        Whether there is a correction.
    coef_, intercept_ : arrays
        w and b, as in `MinimaxClassifier` or `MinimaxRegressor`; zeros where the model is left alone.
    selection_ : Selection
        All candidates with their held-out losses, the choice, and why, in words. The model as it is is the first one,
        with l2 = inf.
    group_names_, group_sizes_, merged_groups_
        As in `MinimaxClassifier`.
    group_losses_ : array
        The mean loss of each group on the training rows, with the cross-fitted o.
    group_weights_, gap_, certified_, result_, n_iter_
        Of the fit of the correction. Where the model is left alone: of the run that bounds what could be gained on the
        training rows; no linear correction with the least of ``l2s`` lowers the largest loss of a group by more than
        ``gap_``.
    classes_, n_features_in_, feature_names_in_
        As usual in scikit-learn; ``classes_`` of a classifier.

    Notes
    -----
    A probability p is read as at least 1/(2n + K), for n training rows and K classes, and for two classes as at most
    1 less that: the estimate of Krichevsky and Trofimov (1981) for what n rows never show. Means of counts are read as
    at least the mean of y divided by 2n + 1. Forests, for one, are often certain, and an infinite margin cannot be
    corrected. Predictions of a model that is left alone are not touched.

    The margins o of the rows that a correction is fitted on are those of clones that have seen the rows which this
    correction is judged by, but not the other way round, as usual in stacking (Wolpert 1992). What such a clone has
    learned from the held-out rows, the correction takes back: it looks a little worse than it is, with two folds the
    most.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, town = rng.standard_normal((2000, 2)), np.repeat(["big", "small"], [1600, 400])
    >>> y = X[:, 0] + np.where(town == "big", 1.0, -0.5) * X[:, 1] + rng.logistic(size=2000) > 0
    >>> tree = DecisionTreeClassifier(min_samples_leaf=50)
    >>> model = sb.WorstGroupCorrection(tree).fit(X, y, sensitive_features=town)
    >>> model.corrected_, model.selection_.group
    (True, 'small')
    """

    @refusing_unknown_parameters
    def __init__(
        self,
        estimator: Any,
        *,
        features: Any = None,
        worst_weights: Any = WORST_WEIGHTS,
        priors: Any = PRIORS,
        l2s: Any = L2S_OF_CORRECTIONS,
        cv: Any = 5,
        rule: str = "one_se",
        scoring: Any = None,
        selection_rows: Any = "auto",
        loss: Any = "auto",
        group_by: Any = None,
        keep_group_columns: bool = False,
        crossed: bool = True,
        min_group_size: int | None = None,
        missing_groups: str = "error",
        fit_intercept: bool = True,
        standardize: bool = True,
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.features = features
        self.worst_weights = worst_weights
        self.priors = priors
        self.l2s = l2s
        self.cv = cv
        self.rule = rule
        self.scoring = scoring
        self.selection_rows = selection_rows
        self.loss = loss
        self.group_by = group_by
        self.keep_group_columns = keep_group_columns
        self.crossed = crossed
        self.min_group_size = min_group_size
        self.missing_groups = missing_groups
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def get_metadata_routing(self) -> Any:
        """Weights of rows are for the estimator as well, if it requests them; the groups are not."""
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))

    @refusing_unknown
    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model, choose a correction by cross-validation, and fit it to all rows.

        Parameters
        ----------
        X : (n, d) matrix or data frame
            As the estimator takes it, and with the columns that the correction may use (``features``). An X of Dask
            or in files (`FileTable`) is loaded for an estimator that is to be fitted, and stays for a FrozenEstimator.
        y : (n,) array
            The target. Of a `FileTable`, columns may be named as in `MinimaxClassifier.fit`.
        sensitive_features : labels, data frame or dict of columns, optional
            The groups of the rows, where they are not columns of X (``group_by``). The estimator does not see them.
        sample_weight : (n,) array, optional
            Weights >= 0, for the estimator, too. With metadata routing, for the estimator if it requests them.
        """
        kind_of(self.estimator)
        read_rule(self.rule)
        read_n_jobs(self.n_jobs)
        read_selection_rows(self.selection_rows)
        refuse_rows(self.group_by, type(self).__name__)
        rows, given = self._read_both(X, y, sensitive_features, sample_weight)
        trained = self._fit_rows(rows, given)
        self._retained = Retained.of(X, y, sensitive_features, sample_weight, trained)
        return self

    def _read_rows(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> Rows:
        return self._read_both(X, y, sensitive_features, sample_weight)[0]

    def _read_both(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> tuple[Rows, Any]:
        """The training rows with the features of the correction, and X as the estimator is given it, for all rows."""
        self._check_arguments(X, y, sensitive_features)
        X, y, sensitive_features, sample_weight = self._here(X, y, sensitive_features, sample_weight)
        given = read_input(self, X, self._dropped_columns(), reset=True)
        self._columns = FeatureColumns(self.features, self._dropped_columns())
        return self._rows_of(self._columns.read(X, given, fit=True), X, y, sensitive_features, sample_weight), given

    def _fit_rows(self, rows: Rows, given: Any) -> Trained:
        """Choose and fit a correction by rows that have been read; ``given`` has also those of weight 0."""
        classifier, rule = kind_of(self.estimator) == CLASSIFIER, read_rule(self.rule)
        n_jobs = read_n_jobs(self.n_jobs)
        setting, classes = self._setting(rows), self.classes_ if classifier else None
        if classifier:
            margin_method(self.estimator, setting.loss)
        model = UserModel(
            self.estimator,
            given if rows.kept is None else some_rows(given, np.flatnonzero(rows.kept)),
            rows.y if classes is None else classes[rows.y],
            self._weight_parameters(rows.weight),
            silent=rows.groups.names == [EVERYBODY],
        )
        candidates = [NoCorrection(), *make_candidates(self.worst_weights, self.priors, self.l2s, rows.groups.names)]
        score = find_score(self.scoring, setting.loss, classes)
        splits = make_splits(self.cv, 1, rows, self.random_state)

        self._read_margin = MarginReader.of(setting.loss, rows, classes)
        offset = cross_fitted_margins(
            model, rows, setting.n_classes, splits, self._read_margin, n_jobs, setting.observer
        )
        rows = rows.with_offset(offset)
        drawn = Drawn.of_splits(splits, rows, setting.n_classes, self.selection_rows, self.random_state)
        held_out = out_of_fold(drawn.rows, setting, candidates, drawn.splits, score, n_jobs)
        choice = choose_candidate(held_out.scores, drawn.rows, 0, rule)
        selection = make_selection(
            parameters_of(candidates),
            held_out.scores,
            drawn.rows,
            choice,
            rule=rule,
            scoring=score.name,
            kept_model="your model",
            family="linear correction",
            n_table_rows=len(rows),
        )

        setting.observer.begin_fit(f"{type(self.estimator).__name__} on all rows")
        self.estimator_ = model.fitted()
        self.corrected_ = choice.chosen != choice.average
        trainer, chosen = Trainer(rows, setting), candidates[choice.chosen]
        setting.observer.begin_fit("the correction on all rows")
        if self.corrected_:
            fit = trainer.fit(chosen)
            bound = trainer.bound(fit.result.w, chosen.l2)
        else:
            fit, bound = trainer.without_correction(min(candidate.l2 for candidate in candidates))
        self._keep(fit, rows)
        if not self.corrected_:
            self.gap_ = bound.gap
        self.selection_ = replace(selection, bound=bound)
        return Trained.by(rows, held_out.scores, drawn.index, drawn.rows.weight)

    def _candidate(self, rows: Rows) -> Candidate:
        """The correction that was chosen; none, with an infinite penalty, where the model is left alone."""
        table, chosen = self.selection_.candidates, self.selection_.chosen
        if not self.corrected_:
            return NoCorrection()
        return Candidate(*(table[name][chosen] for name in ("worst_weight", "prior", "l2")))

    def _weight_parameters(self, weight: Vector | None) -> dict[str, Any]:
        """The weights of the rows as the estimator is given them."""
        if weight is None or not _routing_enabled():
            return weight_parameters(self.estimator, weight)
        return dict(process_routing(self, "fit", sample_weight=weight).estimator.fit)
