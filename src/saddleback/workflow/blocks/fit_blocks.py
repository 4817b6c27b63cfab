"""The fit of a table whose rows are not in this process's memory, and the evidence of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...errors import ProblemError
from ...learn.evidence.collect import collect_evidence
from ...learn.fitting.observer import observed
from ...tabular.reading.parquet_files import ParquetFiles
from ..boosting_threads import boosting_threads
from ..evidence_data import evidence_data, facts_of_fit, file_entries, title_of
from ..group_check import check_groups
from ..readable import check_readable
from ..reading import read_test, weightless
from ..settings import FitSettings, make_estimator
from ..table_model import TableModel
from ..watcher import Watcher
from .block_rows import BlockRows, fingerprint_of
from .held_out import Draw
from .rows_of_fit import SEED
from .ways import Way

ROOM = "rows that judge the model, and a sample of those of its fit,"
ROOM_REMEDY = "Leave out columns (drop), or the evidence (evidence=False)."


@dataclass(frozen=True)
class Judged:
    """By what a model is judged, and what its report is told."""

    test: Any
    evidence: bool
    title: str | None = None
    purpose: str | None = None
    owner: str | None = None
    command: str | None = None


def refuse_options(*, correct: Any, jobs: Any, folds: Any) -> None:
    """Refuse what needs all rows in the memory of this process."""
    if correct is not None:
        raise ProblemError(
            "correct needs the rows in memory, where trees are grown and margins are cross-fitted; got rows that are "
            "not read into it. Take a sample of the rows as one file, or raise memory."
        )
    if jobs is not None:
        raise ProblemError(
            f"jobs must be left out where rows are not in memory: processes would read them side by side; got {jobs}. "
            "All cores work on each pass."
        )
    if folds != "auto":
        raise ProblemError(
            f"folds must be left out where rows are not in memory; got {folds}. The model is judged by rows that are "
            "drawn from all files and have no part in its fit; or pass test."
        )


def fit_blocks(
    data: Any,
    files: ParquetFiles,
    way: Way,
    settings: FitSettings,
    weight: str | None,
    judged: Judged,
    watcher: Watcher,
) -> TableModel:
    """A model of all rows but those that judge it."""
    watcher.tell(f"reading the targets and groups of {files.n_rows:,} rows")
    check = partial(
        check_groups,
        crossed=settings.crossed,
        min_group_size=settings.min_group_size,
        missing_groups=settings.missing_groups,
    )
    test = None if judged.test is None else read_test(judged.test, way.encoding, weight, watcher)
    encoding, rows = BlockRows.read(files, way.encoding, weight, way.make, check)
    encoding = encoding.with_findings(weightless(rows.groups, rows.weight, weight))
    hold_out = judged.evidence and test is None
    draw = Draw.of(rows, settings.seed, hold_out=hold_out)
    model = make_estimator(settings, encoding.target.task)
    with observed(model, watcher):
        (rows[draw.fitted] if hold_out else rows).fit(model)
    fingerprint = fingerprint_of(files, len(rows), len(encoding.feature_names))
    fitted = TableModel(encoding, model, None, facts_of_fit(rows, fingerprint, weight, data))
    check_readable(fitted)
    if not judged.evidence:
        return fitted
    watcher.tell("reading the rows that judge the model")
    drawn = np.union1d(draw.sample, draw.held_out)
    X, y, groups, weights = rows[drawn].in_memory(ROOM, ROOM_REMEDY)

    def part(numbers: Any) -> tuple[Any, Any, Any, Any]:
        at = np.searchsorted(drawn, numbers)
        of_weights = None if weights is None else weights[at]
        return X[at], y[at], {name: labels[at] for name, labels in groups.items()}, of_weights

    X_fit, y_fit, groups_fit, weights_fit = part(draw.sample)
    with boosting_threads(draw.sample.size):
        collected = collect_evidence(
            model,
            X_fit,
            y_fit,
            groups_fit,
            sample_weight=weights_fit,
            n_fitted=draw.fitted.size,
            test=part(draw.held_out) if test is None else test.arguments,
            random_state=settings.seed,
            positive=encoding.target.positive,
            title=judged.title or title_of(encoding, data),
            purpose=judged.purpose,
            owner=judged.owner,
            command=judged.command,
            feature_names=encoding.feature_names,
            data=evidence_data(encoding, rows.left_out, _entries(judged.test, test)),
            settings=model.get_params(deep=False) | {"estimator class": type(model).__name__, SEED: settings.seed},
            fingerprint=fingerprint,
            tell=watcher.tell,
        )
    fitted = replace(fitted, evidence=collected)
    check_readable(fitted)
    return fitted


def _entries(data: Any, test: Any) -> list[dict[str, Any]]:
    return [] if test is None else file_entries("test", data, test.n_columns)
