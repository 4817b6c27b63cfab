"""Models from the average to the worst group, and their losses on rows that they have not seen."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..._validation import number
from ...errors import ProblemError
from ..data.files import with_columns_read
from ..data.jobs import read_n_jobs
from ..data.retained import Retained, Trained
from ..estimators.classifier import MinimaxClassifier
from ..fitting.candidate import Candidate, read_prior
from ..fitting.observer import NOBODY, Observer
from ..fitting.trainer import Trainer
from ..groups.group_input import refuse_rows
from ..selection.choosing import ONE_SE, best_average, choose_candidate
from ..selection.drawn_rows import Drawn
from ..selection.grid import AUTO as AUTO_L2S
from ..selection.grid import penalties_of, read_penalties, read_worst_weights
from ..selection.making import make_selection
from ..selection.out_of_fold import out_of_fold
from ..selection.scores import find_score
from .held_out import HeldOut
from .models import fit_along, make_models, training_bounds
from .outcome import FairnessPath
from .task import AUTO, model_of
from .units import unit_of

WORST_WEIGHTS = tuple(np.linspace(0.0, 1.0, 11).round(1).tolist())

NOT_PARAMETERS = {
    "worst_weight": "pass worst_weights",
    "dual_set": "it takes the place of worst_weight, and has no path",
    "warm_start": "all models of the path start from their neighbors",
}
"""Parameters of the models that the path does not take, and why."""


def fairness_path(
    X: Any,
    y: Any,
    sensitive_features: Any = None,
    *,
    sample_weight: Any = None,
    task: str = AUTO,
    worst_weights: Any = WORST_WEIGHTS,
    l2: float | None = None,
    l2s: Any = AUTO_L2S,
    loss: Any = "auto",
    prior: Any = "shares",
    group_by: Any = None,
    cv: Any = 5,
    repeats: int = 2,
    scoring: Any = None,
    selection_rows: Any = "auto",
    n_jobs: int | None = None,
    random_state: Any = 0,
    observer: Observer = NOBODY,
    **parameters: Any,
) -> FairnessPath:
    """The path of models from the best average (p = 0) to the best worst group (p = 1), judged by held-out rows.

    Every p = ``worst_weight`` gives a `MinimaxClassifier` or `MinimaxRegressor` that is fitted on all rows and
    certified. Beside it stands what each group gets on rows that the model has not seen: the mean of out-of-fold
    losses, with standard errors. ``print(path)`` says whether the worst group gains anything and at what price.

    Parameters
    ----------
    X, y, sensitive_features, sample_weight
        As in `MinimaxClassifier.fit`. A path needs groups: these, or ``group_by``.
    task : "auto", "classification" or "regression"
        "auto": what the loss is for, where one is given. Otherwise two values, texts and integers of at most ten
        different values are classes, and numbers with fractions are a regression; other whole numbers are refused.
    worst_weights : list of float
        Values of p; 0 and 1 are always among them.
    l2 : float, optional
        The penalty of all models; by default that of ``l2s`` with which the average model has the least held-out loss.
    l2s : list of float, or "auto"
        The penalties to choose from, as in `MinimaxClassifierCV`.
    loss, prior, group_by
        As in `MinimaxClassifier`.
    cv, repeats, scoring, selection_rows, random_state
        As in `MinimaxClassifierCV`; the curves are measured on the same rows.
    n_jobs : int, optional
        Folds that are fitted at a time, in processes of one thread each; bits do not depend on their number. By
        default one at a time, with the threads of `saddleback.solve`.
    observer : Observer
        Who is told of splits that are done and of iterations, such as the progress of the command line.
    **parameters
        Others of `MinimaxClassifier` or `MinimaxRegressor`: keep_group_columns, crossed, min_group_size,
        missing_groups, regularizer, reference, fit_intercept, standardize, method, tol, max_iter.

    Returns
    -------
    FairnessPath
        ``models``, ``table``, ``group_losses``, ``knee``, ``select(rule)``, ``selection(rule)``, ``plot()``.

    Notes
    -----
    The model at p = 0 has the same bits as ``MinimaxClassifier(worst_weight=0, l2=path.l2).fit(...)``, the one at p = 1
    those of ``worst_weight=1``; models in between are the same up to their certified gaps, because they are started
    from other models of the path. The penalty is chosen on the folds that the curves are measured on; it is chosen for
    the average model, not for the gain.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> rng = np.random.default_rng(0)
    >>> X, town = rng.standard_normal((2000, 2)), np.repeat(["big", "small"], [1600, 400])
    >>> y = X[:, 0] + np.where(town == "big", 1.0, -0.5) * X[:, 1] + rng.logistic(size=2000) > 0
    >>> path = sb.fairness_path(X, y, sensitive_features=town, worst_weights=[0, 0.25, 0.5, 0.75, 1])
    >>> all(model.certified_ for model in path.models), path.selection().group
    (True, 'small')
    >>> path.select("one_se") is path.models[path.selection("one_se").chosen]
    True
    """
    if sensitive_features is None and group_by is None:
        raise ProblemError("fairness_path needs groups; got none. Pass sensitive_features, or group_by=[columns].")
    refuse_rows(group_by, "fairness_path")
    weights = read_worst_weights(worst_weights, always=(0.0, 1.0))
    X, y, sensitive_features, sample_weight = with_columns_read(X, y, sensitive_features, sample_weight)
    kind = model_of(task, loss, y)
    l2s = penalties_of(l2s, classes=kind is MinimaxClassifier)
    penalties = read_penalties(l2s) if l2 is None else [number(l2, "l2", minimum=0.0)]
    _check_names(parameters, kind().get_params())
    n_threads = None if read_n_jobs(n_jobs) is None else 1
    model = kind(0.0, loss=loss, prior=prior, group_by=group_by, n_jobs=n_threads, **parameters)
    rows = model._read_rows(X, y, sensitive_features, sample_weight)
    setting, shares = replace(model._setting(rows), observer=observer), read_prior(prior, rows.groups.names)
    score = find_score(scoring, setting.loss, getattr(model, "classes_", None))
    drawn = Drawn.of(cv, repeats, rows, setting.n_classes, selection_rows, random_state)

    if len(penalties) > 1:
        averages = [Candidate(0.0, 0.0, penalty) for penalty in penalties]
        scores = out_of_fold(drawn.rows, setting, averages, drawn.splits, score, n_jobs).scores
        penalties = [penalties[best_average(scores, averages, drawn.rows)]]
    candidates = [Candidate(p, shares, penalties[0]) for p in weights]
    scores = out_of_fold(drawn.rows, setting, candidates, drawn.splits, score, n_jobs).scores
    choice = choose_candidate(scores, drawn.rows, 0, ONE_SE)

    retained = Retained.of(X, y, sensitive_features, sample_weight, Trained(rows))
    trainer = Trainer(rows, setting)
    observer.begin_fit("the models of the path on all rows")
    fits = fit_along(trainer, candidates)
    bounds = training_bounds(trainer, penalties[0], fits)
    selection = make_selection(
        {"worst_weight": weights},
        scores,
        drawn.rows,
        choice,
        bounds[choice.chosen],
        rule=ONE_SE,
        scoring=score.name,
        kept_model="the average model" if candidates[0].is_average else "the model at worst_weight=0",
        n_table_rows=len(rows),
    )
    return FairnessPath(
        worst_weights=np.array(weights),
        models=make_models(model, trainer, candidates, fits, retained),
        l2=penalties[0],
        shares=trainer.shares,
        held_out=HeldOut.of(scores, drawn.rows),
        one_se=selection,
        bounds=bounds,
        unit=unit_of(score.name, setting.loss),
        n_splits=len(drawn.splits),
    )


def _check_names(parameters: dict[str, Any], known: dict[str, Any]) -> None:
    """Refuse names that are no parameters of the models, and those that the path sets itself."""
    for name in parameters:
        if name in NOT_PARAMETERS:
            raise ProblemError(f"fairness_path takes no {name}: {NOT_PARAMETERS[name]}.")
        if name not in known:
            near = get_close_matches(
                name, [*known, "worst_weights", "l2s", "cv", "repeats", "scoring", "selection_rows"], n=3
            )
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ProblemError(f"fairness_path has no parameter {name!r}.{hint}")
