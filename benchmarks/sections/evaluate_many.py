"""Several parameter vectors in one pass: against as many evaluations, and in whole selections."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

import saddleback as sb
from saddleback.learn.selection import side_by_side as fits

from ..real_tables import look_alikes
from ..report import Demand, Options, Report, Table
from ..setting import cores
from ..timing import side_by_side
from ..writing import ratio

K = 16
GROUPS = 4, 10
ENTRIES = {"tiny": 20_000, "small": 30_000_000, "full": 60_000_000}
COLUMNS = 20, 100, 1000
SELECTIONS = {"tiny": [(400, 5)], "small": [(200_000, 50), (40_000, 200)], "full": [(1_000_000, 50), (100_000, 200)]}
GRIDS: dict[str, dict[str, Any]] = {"tiny": {"l2s": [0.1], "worst_weights": [0.0, 1.0], "priors": [0.0]}}
"""Of the selections; that of users by default."""
ONE_BY_ONE, TOGETHER = "one by one", "together"


def measure(options: Options) -> Report:
    n_entries = ENTRIES[options.scale]
    passes = {(d, J): _evaluations(n_entries // d, d, J, options.repeats) for d in COLUMNS for J in GROUPS}
    grid = GRIDS.get(options.scale, {})
    selections = {shape: _selections(*shape, options.repeats, grid) for shape in SELECTIONS[options.scale]}
    gains = {case: times[ONE_BY_ONE] / times[TOGETHER] for case, times in passes.items()}
    rows = [
        (
            f"d = {d}, J = {J}",
            f"{1e3 * times[ONE_BY_ONE] / K:.2f}",
            f"{1e3 * times[TOGETHER] / K:.2f}",
            ratio(*_two(times)),
        )
        for (d, J), times in passes.items()
    ]
    whole = [
        (f"{n} x {d}", *(f"{seconds:.2f}" for seconds in _two(times)), ratio(*_two(times)))
        for (n, d), times in selections.items()
    ]
    return Report(
        "Several parameter vectors in one pass",
        f"``evaluate_many`` at {K} parameter vectors against {K} calls of ``evaluate``: logistic losses and gradients "
        f"of J groups on dense tables of {n_entries / 1e6:g} million entries in float64, {8 * n_entries / 1e6:g} MB, "
        "more than the cache holds. ``evaluate`` reads the table at every call and is limited by memory; "
        "``evaluate_many`` is limited by arithmetic, on narrow tables by that of the logistic function, which is the "
        "same for both. Below it whole fits of MinimaxClassifierCV with all rows, the fits of its folds one by one and "
        f"together. Threads: {cores()}.",
        [
            Table("one pass", ["", "ms per vector, one by one", "together", "times faster"], rows),
            Table("selections", ["", "seconds, one by one", "together", "times faster"], whole),
        ],
        [
            Demand(f"{K} evaluations over evaluate_many of {K}, d = {d}", min(gains[d, J] for J in GROUPS), at_least=5)
            for d in (100, 1000)
        ],
        data={"passes": {f"{d}, {J}": times for (d, J), times in passes.items()}}
        | {"selections": {f"{n} x {d}": times for (n, d), times in selections.items()}},
    )


def _two(times: dict[str, float]) -> tuple[float, float]:
    return times[ONE_BY_ONE], times[TOGETHER]


def _evaluations(n: int, d: int, J: int, repeats: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((n, d)), rng.integers(0, 2, n), np.arange(n) % J
    losses, W = sb.GroupedLinear(X, y, groups), rng.standard_normal((K, d + 1)) / np.sqrt(d)
    calls = {ONE_BY_ONE: lambda: [losses.evaluate(w) for w in W], TOGETHER: lambda: losses.evaluate_many(W)}
    return side_by_side(calls, repeats)


def _selections(n: int, d: int, repeats: int, grid: dict[str, Any]) -> dict[str, float]:
    data = look_alikes({"table": (n, d, 4)})["table"]

    def select(least_bytes: float) -> None:
        with patch.object(fits, "LEAST_BYTES", least_bytes):
            sb.MinimaxClassifierCV(selection_rows=None, **grid).fit(data.X, data.y, sensitive_features=data.groups)

    return side_by_side({ONE_BY_ONE: lambda: select(np.inf), TOGETHER: lambda: select(0.0)}, repeats)
