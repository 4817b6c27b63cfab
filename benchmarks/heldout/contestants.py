"""The models of the study: each is fitted to training rows alone, with whatever it chooses by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import saddleback as sb
from saddleback.learn.selection.grid import AUTO, penalties_of

from .folds import draw_folds
from .measures import group_means, row_loss
from .reduction import fit_reduction
from .tables import Table

Predict = Callable[[NDArray[np.float64]], NDArray[np.float64]]
INNER_FOLDS = 5
AVERAGE, LEFT_ALONE = "average", "left alone"
"""What a selection or a correction chooses where it finds nothing to gain."""
POINT = {"worst_weight": "p", "prior": "prior", "l2": "l2"}
"""The columns of a selection that name a candidate, and what they are called here."""


@dataclass(frozen=True)
class Fitted:
    """A fitted model: the probability of class 1, or the number, for rows of X; and what it chose."""

    predict: Predict
    chosen: str


@dataclass(frozen=True)
class Contestant:
    """A kind of model. ``base`` is the contestant that it is compared with; None for the first."""

    name: str
    fit: Callable[[Table], Fitted]
    base: str | None = "average"
    classes_only: bool = False


def fit_average(rows: Table) -> Fitted:
    """The ordinary model, with the penalty of the least held-out loss of all rows: what a selection starts from.

    Among penalties, too, the selection may choose one for the worst group; that is not taken here.
    """
    selection = _cross_validated(rows, worst_weights=[0.0], priors=[0.0]).selection_
    l2 = float(selection.candidates["l2"][selection.kept])
    return Fitted(_predictor(_fit(rows, worst_weight=0.0, l2=l2)), f"l2 {l2:g}")


def fit_selected(rows: Table) -> Fitted:
    """What users get without any arguments."""
    model = _cross_validated(rows)
    point = f"p {model.worst_weight_:g}, prior {model.prior_:g}"
    return Fitted(_predictor(model), f"{AVERAGE if model.selection_.nothing_to_gain else point}, l2 {model.l2_:g}")


def fit_balanced(rows: Table) -> Fitted:
    """All groups count alike, whatever their sizes."""
    return _tuned(rows, worst_weight=0.0, prior="balanced")


def fit_worst_group(rows: Table) -> Fitted:
    """The least training loss of the worst group."""
    return _tuned(rows, worst_weight=1.0)


def fit_boosting(rows: Table) -> Fitted:
    """Boosted trees as `boosting` sets them."""
    model = boosting(rows.classes).fit(rows.X, rows.y)
    return Fitted(_predictor(model), f"{model.n_iter_} trees")


def boosting(classes: bool) -> Any:
    """Small trees, stopped early: set once for all tables, after a look at four of them."""
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return kind(learning_rate=0.05, max_iter=300, max_leaf_nodes=15, early_stopping=True, random_state=0)


def fit_default_boosting(rows: Table) -> Fitted:
    """Boosted trees with scikit-learn's defaults."""
    return Fitted(_predictor(default_boosting(rows.classes).fit(rows.X, rows.y)), "")


def default_boosting(classes: bool) -> Any:
    """A hundred trees of 31 leaves: on small tables these learn the noise as well."""
    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)


def fit_corrected(rows: Table, base: Callable[[bool], Any]) -> Fitted:
    """A model with a correction for its worst group, where its rule finds one worth while."""
    model = sb.WorstGroupCorrection(base(rows.classes)).fit(rows.X, rows.y, sensitive_features=rows.groups)
    table, chosen = model.selection_.candidates, model.selection_.chosen
    point = ", ".join(f"{name} {table[column][chosen]:g}" for column, name in POINT.items())
    return Fitted(_predictor(model), point if model.corrected_ else LEFT_ALONE)


def fit_fairlearn(rows: Table) -> Fitted:
    """fairlearn's reduction of the worst group to logistic regressions."""
    return Fitted(*fit_reduction(rows.X, rows.y, rows.groups))


def _cross_validated(rows: Table, **candidates: Any) -> Any:
    model = sb.MinimaxClassifierCV(**candidates) if rows.classes else sb.MinimaxRegressorCV(**candidates)
    return model.fit(rows.X, rows.y, sensitive_features=rows.groups)


def _fit(rows: Table, **point: Any) -> Any:
    model = sb.MinimaxClassifier(**point) if rows.classes else sb.MinimaxRegressor(**point)
    return model.fit(rows.X, rows.y, sensitive_features=rows.groups)


def _tuned(rows: Table, **point: Any) -> Fitted:
    """One point of the path; its penalty has the least held-out loss of the worst group."""
    folds, l2s = draw_folds(rows, INNER_FOLDS, seed=0), penalties_of(AUTO, classes=rows.classes)
    losses = np.empty((len(l2s), len(rows.y)))
    for fold in range(INNER_FOLDS):
        train, test = rows.subset(folds != fold), rows.subset(folds == fold)
        for k, l2 in enumerate(l2s):
            losses[k, folds == fold] = row_loss(test, _predictor(_fit(train, l2=l2, **point))(test.X))
    l2 = l2s[int(np.argmin([max(group_means(rows.groups, loss).values()) for loss in losses]))]
    return Fitted(_predictor(_fit(rows, l2=l2, **point)), f"l2 {l2:g}")


def _predictor(model: Any) -> Predict:
    if hasattr(model, "predict_proba"):
        return lambda X: np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64)
    return lambda X: np.asarray(model.predict(X), dtype=np.float64)


CONTESTANTS = {
    contestant.name: contestant
    for contestant in (
        Contestant("average", fit_average, base=None),
        Contestant("balanced", fit_balanced),
        Contestant("worst-group", fit_worst_group),
        Contestant("selected", fit_selected),
        Contestant("boosting", fit_boosting),
        Contestant("corrected boosting", partial(fit_corrected, base=boosting), base="boosting", classes_only=True),
        Contestant("default boosting", fit_default_boosting),
        Contestant(
            "corrected default boosting",
            partial(fit_corrected, base=default_boosting),
            base="default boosting",
            classes_only=True,
        ),
        Contestant("fairlearn", fit_fairlearn, classes_only=True),
    )
}
"""In the order of the columns of the page; a base comes before those that are compared with it."""
