"""From a table to a model: columns read, groups checked, the model chosen, its evidence collected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from ..errors import ProblemError
from ..learn.evidence.collect import collect_evidence
from ..learn.fitting.observer import observed
from ..tabular.names import column_names, listed
from .blocks.fit_blocks import Judged, fit_blocks, refuse_options
from .blocks.ways import Asked, parquet_of, way_of
from .boosting_threads import boosting_threads
from .evidence_data import evidence_data, facts_of_fit, file_entries, title_of
from .group_check import check_groups
from .known_rows import known_to, seen_in_training
from .option_checks import check_count, check_weight
from .readable import check_readable
from .reading import corrected_model, group_and_dropped_columns, read_for_fit, read_test
from .settings import FitSettings, make_estimator
from .table_model import TableModel
from .watcher import Watcher


def fit_table(
    data: Any,
    *,
    target: str,
    groups: str | Sequence[str],
    worst_weight: float | Sequence[float] | None = None,
    l2: float | Sequence[float] | None = None,
    loss: str = "auto",
    task: str = "auto",
    positive: Any = None,
    correct: str | PathLike[str] | TableModel | None = None,
    test: Any = None,
    folds: int | str = "auto",
    drop: Iterable[str] | str = (),
    keep: Iterable[str] | str = (),
    keep_groups: bool = False,
    categories: Iterable[str] | str = (),
    weight: str | None = None,
    min_group_size: int | None = None,
    crossed: bool = True,
    missing_groups: str = "group",
    seed: int = 0,
    jobs: int | None = None,
    max_iter: int = 1000,
    scheduler: str | None = None,
    memory: str | float | None = None,
    out_of_core: bool | None = None,
    evidence: bool = True,
    title: str | None = None,
    purpose: str | None = None,
    owner: str | None = None,
    command: str | None = None,
    watcher: Watcher | None = None,
) -> TableModel:
    """Fit a model to a table, whose worst-off group does best where held-out rows confirm that this helps.

    Columns are read as people mean them (`saddleback.tabular.learn_encoding`), rows without a target are left out, and
    the point between the best average and the best worst group is chosen by held-out rows (`MinimaxClassifierCV` or
    `MinimaxRegressorCV`). Then the whole is repeated on outer folds, for figures of rows that had no part in it.

    Parameters
    ----------
    data : path, data frame, dict of columns or pyarrow.Table
        The rows; a file may be CSV, CSV in gzip, or Parquet. A folder of Parquet files, or a pattern such as
        ``data/*.parquet``, is one table.
    target : str
        The column to be predicted.
    groups : str or list of str
        The columns whose labels are the groups. They are no features unless ``keep_groups`` is True.
    worst_weight, l2 : float or list of float, optional
        One ``worst_weight`` is taken as it is, with one ``l2`` (by default 0.001), and nothing is chosen. Several
        values, or ``l2`` alone, are what is chosen from.
    loss : str
        "auto", "logistic" or "squared_hinge" for classes; "auto", "squared", "huber", "quantile" or "poisson" for
        numbers.
    task, positive, drop, keep, keep_groups, categories
        How columns are read, as in `saddleback.tabular.learn_encoding`.
    correct : "boosting", path or TableModel, optional
        Leave a model of another kind in place and correct it where this helps its worst-off group: scikit-learn's
        histogram gradient boosting, or a model that was saved, whose columns are then read as it reads them. The rows
        should be new to a saved model.
    test : path, data frame, ... , optional
        Rows that judge the model, in place of outer folds.
    folds : int
        The number of outer folds; by default 5, and one split (a fifth held out) of more than 20,000 rows.
    weight : str, optional
        A column of weights of the rows, which is no feature.
    min_group_size, crossed, missing_groups
        As in `MinimaxClassifier`; but rows without a label are a group "(missing)" by default.
    seed, jobs, max_iter
        ``random_state`` (at most 2^32 - 1), ``n_jobs`` and ``max_iter`` of the estimator.
    scheduler : str, optional
        "local", or the address of a Dask scheduler: workers read the Parquet files, and keep the encoded rows.
    memory : str or number, optional
        What the rows may take in memory, such as "2GB"; by default half of what is free. Parquet files that take more
        are read again at every pass over the rows.
    out_of_core : bool, optional
        Whether to do so, whatever they take. The encoding is then learned on a sample, and the model is judged by rows
        that are drawn at random from all files and have no part in its fit; so it is on a cluster.
    evidence : bool
        Whether to collect what the report shows: the outer folds take several times as long as the model itself.
    title, purpose, owner, command : str, optional
        For the report.
    watcher : Watcher, optional
        Is told how the work gets on.

    Returns
    -------
    TableModel
        With ``predict``, ``save`` and ``report``.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> rng = np.random.default_rng(0)
    >>> frame = {"age": rng.normal(40, 9, 400), "town": np.repeat(["big", "small"], [320, 80])}
    >>> frame["paid"] = np.where(frame["age"] + rng.normal(0, 9, 400) > 40, "yes", "no")
    >>> model = sb.fit_table(frame, target="paid", groups="town", evidence=False)
    >>> model.encoding.feature_names, model.model.selection_.nothing_to_gain
    (['age'], True)
    """
    watcher = watcher or Watcher()
    settings = FitSettings(
        worst_weights=_numbers(worst_weight),
        l2s=_numbers(l2),
        loss=loss,
        crossed=crossed,
        min_group_size=min_group_size,
        missing_groups=missing_groups,
        seed=seed,
        jobs=jobs,
        max_iter=max_iter,
    )
    asked = Asked.of(scheduler, memory, out_of_core)
    if folds != "auto":
        check_count(folds, "folds", 2, "Outer folds are left out by evidence=False.")
    categories = column_names(categories, "categories")
    check_weight(weight, target, keep=keep, categories=categories)
    corrected = corrected_model(correct)
    if corrected is not None and categories:
        raise ProblemError(
            "categories takes no columns where a saved model is corrected, which reads all columns as in its fit; "
            f"got {listed(categories)}. Leave it out."
        )
    columns: dict[str, Any] = {
        "keep": keep,
        "keep_groups": keep_groups,
        "categories": categories,
        "task": task,
        "positive": positive,
    }
    told: dict[str, Any] = {"title": title, "purpose": purpose, "owner": owner, "command": command}
    if asked.elsewhere:
        refuse_options(correct=correct, jobs=jobs, folds=folds)
    files = parquet_of(data, asked)
    if files is not None:
        of_blocks = columns | group_and_dropped_columns(groups, drop, weight, files.names)
        with way_of(files, asked, watcher, {"target": target, **of_blocks}) as way:
            if way is not None:
                refuse_options(correct=correct, jobs=jobs, folds=folds)
                judged = Judged(test, evidence=evidence, **told)
                return fit_blocks(data, files, way, settings, weight, judged, watcher)
    encoding, rows = read_for_fit(
        data,
        target=target,
        groups=groups,
        weight=weight,
        watcher=watcher,
        drop=drop,
        corrected=corrected,
        **columns,
    )
    fingerprint = rows.fingerprint()
    if corrected is not None and corrected.facts["sha256"] == fingerprint["sha256"]:
        raise ProblemError(
            "a saved model is corrected by rows that it has not seen; got the rows of its fit, where its losses are "
            "lower than on new rows. Pass other rows."
        )
    check_groups(rows.groups, crossed=crossed, min_group_size=min_group_size, missing_groups=missing_groups)
    test_rows = None if test is None else read_test(test, encoding, weight, watcher)
    if test_rows is not None:
        encoding = encoding.with_findings(seen_in_training(rows, test_rows))
    left_in_place = correct if corrected is None else corrected.model
    model = make_estimator(settings, encoding.target.task, left_in_place)
    with boosting_threads(len(rows)), observed(model, watcher):
        model.fit(*rows.arguments)
    if corrected is not None:
        encoding = encoding.with_findings(known_to(corrected.model, model))
    fitted = TableModel(encoding, model, None, facts_of_fit(rows, fingerprint, weight, data))
    # Before the evidence, which takes most of the time, and after it.
    check_readable(fitted)
    if evidence:
        entries = file_entries("data", data, rows.n_columns)
        if test_rows is not None:
            entries += file_entries("test", test, test_rows.n_columns)
        with boosting_threads(len(rows)):
            collected = collect_evidence(
                model,
                test=None if test_rows is None else test_rows.arguments,
                folds=folds,
                random_state=seed,
                positive=encoding.target.positive,
                feature_names=encoding.feature_names,
                data=evidence_data(encoding, rows.left_out, entries),
                fingerprint=fingerprint,
                tell=watcher.tell,
                **told | {"title": title or title_of(encoding, data)},
            )
        fitted = replace(fitted, evidence=collected)
        check_readable(fitted)
    return fitted


def _numbers(values: Any) -> tuple[float, ...]:
    if values is None:
        return ()
    return tuple(values) if isinstance(values, Iterable) else (values,)
