"""The path from the average to the worst-group model of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..learn import fairness_path
from ..learn.path.outcome import FairnessPath
from ..tabular import Encoding
from .group_check import check_groups
from .option_checks import check_weight
from .reading import read_for_fit
from .settings import FitSettings
from .watcher import Watcher


@dataclass(frozen=True, eq=False)
class TablePath:
    """The path, how the columns were read, and the rows."""

    encoding: Encoding
    path: FairnessPath
    rows: int
    left_out: int


def path_table(
    data: Any,
    *,
    target: str,
    groups: str | Sequence[str],
    l2: float | None = None,
    loss: str = "auto",
    min_group_size: int | None = None,
    crossed: bool = True,
    missing_groups: str = "group",
    weight: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    watcher: Watcher | None = None,
    **columns: Any,
) -> TablePath:
    """The models of a table from the best average to the best worst group, judged by held-out rows.

    Parameters
    ----------
    data, target, groups, loss, min_group_size, crossed, missing_groups, weight, seed, jobs, watcher
        As in `saddleback.fit_table`.
    l2 : float, optional
        The penalty of all models; by default the best one of the average model on held-out rows.
    **columns
        task, positive, drop, keep, keep_groups and categories, as in `saddleback.fit_table`.

    Examples
    --------
    >>> import numpy as np
    >>> from saddleback.workflow.path_table import path_table
    >>> rng = np.random.default_rng(0)
    >>> frame = {"age": rng.normal(40, 9, 400), "town": np.repeat(["big", "small"], [320, 80])}
    >>> frame["paid"] = np.where(frame["age"] + rng.normal(0, 9, 400) > 40, "yes", "no")
    >>> path_table(frame, target="paid", groups="town").path.knee
    0.0
    """
    watcher = watcher or Watcher()
    l2s = () if l2 is None else (l2,)
    FitSettings(l2s=l2s, min_group_size=min_group_size, seed=seed, jobs=jobs)
    check_weight(weight, target, **{what: columns.get(what, ()) for what in ("keep", "categories")})
    encoding, rows = read_for_fit(data, target=target, groups=groups, weight=weight, watcher=watcher, **columns)
    check_groups(rows.groups, crossed=crossed, min_group_size=min_group_size, missing_groups=missing_groups)
    path = fairness_path(
        rows.X,
        rows.y,
        rows.groups,
        sample_weight=rows.weight,
        task=encoding.target.task,
        l2=l2,
        loss=loss,
        crossed=crossed,
        min_group_size=min_group_size,
        missing_groups=missing_groups,
        n_jobs=jobs,
        random_state=seed,
        observer=watcher,
    )
    return TablePath(encoding, path, len(rows), rows.left_out)
