"""Training optima that others have published, against certified ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import saddleback as sb

from ..real_tables import look_alikes
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..timing import side_by_side
from ..writing import NOT_REACHED, small

TOL = 1e-9
RACES = ("African-American", "Caucasian", "Hispanic", "Other")
SCORES = ["nscore", "escore", "oscore", "ascore", "cscore", "impulsiveness", "sensation_seeking"]


@dataclass(frozen=True, eq=False)
class People:
    """Features, targets, and the group of every row."""

    X: Any
    y: Any
    groups: Any


@dataclass(frozen=True)
class Published:
    """A value of the largest group loss on the training rows, and the rounds after which it was reported."""

    value: float
    rounds: int
    file: str
    read: Callable[[Any], People]


def _compas(table: Any) -> People:
    """Features and groups as in the code of Diana et al. (2021): two small groups are dropped."""
    table = table[table["race"].isin(RACES)]
    numbers = table[["age", "priors_count", "juv_fel_count"]].astype(float)
    X = pd.get_dummies(numbers.join(table[["sex", "c_charge_degree", "race"]]), drop_first=True, dtype=float)
    return People(X, table["two_year_recid"], table["race"])


def _drug(table: Any) -> People:
    """Cannabis used within the last decade or later, by the seven personality scores."""
    return People(table[SCORES], ~table["cannabis"].isin(["CL0", "CL1"]), table["country"])


PUBLISHED = {
    "compas by race": Published(0.619964, 10_000, "compas.csv.gz", _compas),
    "drug by country": Published(0.589363, 450, "drug.csv.gz", _drug),
}


def measure(options: Options) -> Report:
    tables = _read(options.data) if options.data else _synthetic(options)
    models = {name: _fit(people) for name, people in tables.items()}
    seconds = side_by_side({name: _caller(people) for name, people in tables.items()}, options.repeats)
    rows, demands = [], []
    for name, model in models.items():
        known = PUBLISHED.get(name)
        ours = float(model.group_losses_.max())
        rows.append(
            (
                f"{name} (n = {len(tables[name].y)}, d = {model.n_features_in_}, J = {len(model.group_names_)})",
                NOT_REACHED if known is None else f"{known.value:.6f}",
                NOT_REACHED if known is None else f"{known.rounds}",
                f"{ours:.6f}",
                small(model.gap_),
                f"{model.result_.radius:.2f}",
                f"{1e3 * seconds[name]:.0f}",
            )
        )
        demands.append(Demand(f"{name}: certified gap", model.gap_, at_most=TOL))
        if known is not None:
            demands.append(Demand(f"{name}: loss below the published one", known.value - ours, at_least=TOL))
    return Report(
        "Published training optima",
        "The least log loss of the worst group on the training rows, logistic regression with an intercept and without "
        "a penalty. Published: the values that the method of Diana et al. (2021, Minimax group fairness) had reached, "
        "as reported with Abernethy et al. (2022, Active sampling for min-max fairness). Ours: "
        f"MinimaxClassifier(l2=0, tol={TOL:g}). No linear model within the radius, a distance in the coefficients of "
        "standardized features, has a worst group that is better by more than the gap; t radii away it cannot be "
        "better by more than t gaps, because the loss is convex. Training rows say nothing of new ones. The tables are "
        "those of `python -m benchmarks.run --only published_optima --data FOLDER`, a folder with compas.csv.gz and "
        "drug.csv.gz; without it they are synthetic, and nothing was published of them. "
        f"Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [
            Table(
                "largest group loss",
                ["table", "published", "its rounds", "ours", "certified gap", "radius", "our ms"],
                rows,
            )
        ],
        demands,
        data={name: {"group_losses": model.group_losses_.tolist()} for name, model in models.items()},
    )


def _read(folder: Path) -> dict[str, People]:
    return {name: known.read(pd.read_csv(folder / known.file)) for name, known in PUBLISHED.items()}


def _synthetic(options: Options) -> dict[str, People]:
    shapes = {"tiny": (300, 4, 3)} if options.scale == "tiny" else {"like compas": (7_164, 8, 4)}
    return {name: People(data.X, data.y, data.groups) for name, data in look_alikes(shapes).items()}


def _fit(people: People) -> Any:
    model = sb.MinimaxClassifier(l2=0.0, tol=TOL).fit(people.X, people.y, sensitive_features=people.groups)
    assert np.isfinite(model.gap_)
    return model


def _caller(people: People) -> Callable[[], Any]:
    return lambda: _fit(people)
