"""From a table to a model: columns read, groups checked, the model chosen, its evidence collected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from hashlib import file_digest
from os import PathLike
from typing import Any

import pyarrow as pa

from ..errors import ProblemError
from ..learn.evidence.collect import collect_evidence
from ..learn.fitting.observer import observed
from ..tabular import Encoding, Finding, learn_encoding
from ..tabular.names import column_names, listed, refuse_unknown
from .boosting_threads import boosting_threads
from .group_check import check_groups
from .known_rows import copies, known_to, seen_in_training
from .option_checks import check_count, check_weight
from .readable import check_readable
from .settings import BOOSTING, FitSettings, make_estimator
from .table_model import TableModel
from .table_model_reading import load_table_model
from .table_rows import TableRows, as_table, rows_of
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
        The rows; a file may be CSV, CSV in gzip, or Parquet.
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
    if folds != "auto":
        check_count(folds, "folds", 2, "Outer folds are left out by evidence=False.")
    categories = column_names(categories, "categories")
    check_weight(weight, target, keep=keep, categories=categories)
    corrected = _corrected(correct)
    if corrected is not None and categories:
        raise ProblemError(
            "categories takes no columns where a saved model is corrected, which reads all columns as in its fit; "
            f"got {listed(categories)}. Leave it out."
        )
    encoding, rows = read_for_fit(
        data,
        target=target,
        groups=groups,
        weight=weight,
        watcher=watcher,
        drop=drop,
        corrected=corrected,
        keep=keep,
        keep_groups=keep_groups,
        categories=categories,
        task=task,
        positive=positive,
    )
    fingerprint = rows.fingerprint()
    if corrected is not None and corrected.facts["sha256"] == fingerprint["sha256"]:
        raise ProblemError(
            "a saved model is corrected by rows that it has not seen; got the rows of its fit, where its losses are "
            "lower than on new rows. Pass other rows."
        )
    check_groups(rows.groups, crossed=crossed, min_group_size=min_group_size, missing_groups=missing_groups)
    test_rows = None if test is None else _read_test(test, encoding, weight, watcher)
    if test_rows is not None:
        encoding = encoding.with_findings(seen_in_training(rows, test_rows))
    left_in_place = correct if corrected is None else corrected.model
    model = make_estimator(settings, encoding.target.task, left_in_place)
    with boosting_threads(len(rows)), observed(model, watcher):
        model.fit(*rows.arguments)
    if corrected is not None:
        encoding = encoding.with_findings(known_to(corrected.model, model))
    facts = {
        "rows": len(rows),
        "left_out": rows.left_out,
        "sha256": fingerprint["sha256"],
        "weight": weight,
        "data": name_of(data),
    }
    fitted = TableModel(encoding, model, None, facts)
    # Before the evidence, which takes most of the time, and after it.
    check_readable(fitted)
    if evidence:
        with boosting_threads(len(rows)):
            collected = collect_evidence(
                model,
                test=None if test_rows is None else test_rows.arguments,
                folds=folds,
                random_state=seed,
                positive=encoding.target.positive,
                title=title or _title(encoding, data),
                purpose=purpose,
                owner=owner,
                feature_names=encoding.feature_names,
                data={
                    "columns": [{"name": rule.name, "kind": rule.kind, "rule": rule.rule} for rule in encoding.columns],
                    "findings": [asdict(finding) for finding in encoding.findings],
                    "missing": _missing(rows),
                    "files": [*_file("data", data, rows), *_file("test", test, test_rows)],
                },
                fingerprint=fingerprint,
                command=command,
                tell=watcher.tell,
            )
        fitted = replace(fitted, evidence=collected)
        check_readable(fitted)
    return fitted


def read_for_fit(
    data: Any,
    *,
    target: str,
    groups: Any,
    weight: str | None,
    watcher: Watcher,
    drop: Any = (),
    categories: Any = (),
    corrected: TableModel | None = None,
    **options: Any,
) -> tuple[Encoding, TableRows]:
    """The encoding and the rows; the table itself is let go of, so that the fit has its memory.

    ``options`` are further ones of `learn_encoding`.
    """
    options |= {"categories": column_names(categories, "categories")}
    read = _read(data, target, groups, weight, watcher, drop, corrected, options)
    # Arrow keeps the memory of tables that are gone, as much as the file has bytes.
    pa.default_memory_pool().release_unused()
    return read


def _read(
    data: Any,
    target: str,
    groups: Any,
    weight: str | None,
    watcher: Watcher,
    drop: Any,
    corrected: TableModel | None,
    options: dict[str, Any],
) -> tuple[Encoding, TableRows]:
    watcher.tell(f"reading {name_of(data) or 'the table'}")
    groups, drop = _listed(groups), _listed(drop)
    if not groups:
        raise ProblemError("groups must name at least one column; got none.")
    table = as_table(data, options["categories"])
    if weight is not None:
        refuse_unknown(weight, table.column_names, "weight")
        drop = list(dict.fromkeys([*drop, weight]))
    encoding = learn_encoding(table, target=target, groups=groups, drop=drop, **options)
    if corrected is not None:
        encoding = _as_corrected(encoding, corrected.encoding)
    rows = rows_of(encoding, table, weight)
    return encoding.with_findings([*_weightless(rows, weight), *copies(rows)]), rows


def _weightless(rows: TableRows, weight: str | None) -> list[Finding]:
    """Labels of groups all of whose rows have weight 0, which the model does not see."""
    if rows.weight is None or weight is None:
        return []
    found = []
    for name, labels in rows.groups.items():
        seen = set(labels[rows.weight > 0.0].tolist())
        lost = sorted({str(label) for label in labels.tolist() if label not in seen})
        if lost:
            names = ", ".join(map(repr, lost[:5])) + (", ..." if len(lost) > 5 else "")
            message = f"All rows of {names} have weight 0 in {weight!r}: they are in no table and count for nothing."
            found.append(Finding(name, "group", "warning", message))
    return found


def _as_corrected(encoding: Encoding, saved: Encoding) -> Encoding:
    """The rules of a saved model's columns, with the groups and findings of these rows."""
    mine, theirs = encoding.target, saved.target
    if (mine.name, mine.task) != (theirs.name, theirs.task):
        raise ProblemError(
            f"the model to correct predicts {theirs.name!r} ({theirs.task}); got the target {mine.name!r} "
            f"({mine.task})."
        )
    return replace(saved, groups=encoding.groups, findings=encoding.findings)


def _read_test(test: Any, encoding: Encoding, weight: str | None, watcher: Watcher) -> TableRows:
    """Rows by the rules of the training rows: their classes must be known."""
    watcher.tell(f"reading {name_of(test) or 'the test rows'}")
    table = as_table(test, encoding.text_columns)
    return rows_of(encoding, table, weight)


def _corrected(correct: Any) -> TableModel | None:
    """The saved model that is to be corrected; None for boosting, or where nothing is."""
    if correct is None or (isinstance(correct, str) and correct == BOOSTING):
        return None
    return correct if isinstance(correct, TableModel) else load_table_model(correct)


def _title(encoding: Encoding, data: Any) -> str:
    return f"{encoding.target.name} of {name_of(data) or 'a table'} by {' and '.join(encoding.groups)}"


def _file(role: str, data: Any, rows: TableRows | None) -> list[dict[str, Any]]:
    """What an auditor can compare a file with: its digest is that of ``sha256sum``."""
    name = name_of(data)
    if name is None or rows is None:
        return []
    with open(data, "rb") as opened:
        digest = file_digest(opened, "sha256").hexdigest()
        size = os.fstat(opened.fileno()).st_size
    name = name.encode("utf-8", "replace").decode()
    return [{"role": role, "name": name, "sha256": digest, "bytes": size, "columns": rows.n_columns}]


def _missing(rows: TableRows) -> str | None:
    return f"{rows.left_out} rows without a target were left out." if rows.left_out else None


def name_of(data: Any) -> str | None:
    """The name of a file; None for a table in memory."""
    return os.path.basename(os.fspath(data)) if isinstance(data, str | PathLike) else None


def _listed(names: Any) -> list[Any]:
    return [names] if isinstance(names, str) else list(names)


def _numbers(values: Any) -> tuple[float, ...]:
    if values is None:
        return ()
    return tuple(values) if isinstance(values, Iterable) else (values,)


def findings_of(encoding: Encoding) -> list[Finding]:
    """Warnings first."""
    return sorted(encoding.findings, key=lambda finding: finding.severity != "warning")
