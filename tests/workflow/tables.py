"""A table as people have it: texts, gaps, an identifier, three group columns, and a group that differs."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd

COLUMNS = ["id", "age", "income", "job", "sex", "race", "town", "approved", "amount"]


def people_rows(n: int = 400, seed: int = 0) -> list[list[object]]:
    """Rows of COLUMNS: the income of race c points the other way; some values, groups and targets are missing."""
    rng = np.random.default_rng(seed)
    age, income = rng.normal(40, 12, n).round(), np.exp(rng.normal(10, 0.5, n)).round(2)
    job = rng.choice(["clerk", "nurse", "cook"], n, p=[0.5, 0.3, 0.2])
    sex, town = rng.choice(["f", "m"], n), rng.choice(["north", "south"], n)
    race = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    eta = (age - 40) / 12 + np.where(race == "c", -1.2, 1.0) * (np.log(income) - 10) * 2 + (job == "nurse") * 0.7
    approved = np.where(eta + rng.logistic(size=n) > 0, "yes", "no")
    amount = (1000 * (eta + rng.standard_normal(n))).round(2)
    gaps = rng.random((n, 4)) < [0.05, 0.04, 0.05, 0.01]
    return [
        [
            f"P{i:06d}",
            "" if gaps[i, 0] else int(age[i]),
            income[i],
            "NA" if gaps[i, 1] else job[i],
            sex[i],
            "" if gaps[i, 2] else race[i],
            town[i],
            "" if gaps[i, 3] else approved[i],
            amount[i],
        ]
        for i in range(n)
    ]


def people_csv(path: Path, n: int = 400, seed: int = 0, drop: tuple[str, ...] = ("amount",)) -> Path:
    """Write the table; the numeric target is left out by default."""
    places = [j for j, name in enumerate(COLUMNS) if name not in drop]
    return write_rows(path, [COLUMNS[j] for j in places], [[row[j] for j in places] for row in people_rows(n, seed)])


def write_rows(path: Path, names: list[str], rows: list[list[object]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)
    return path


def people_frame(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """The same rows with gaps as None, and without the numeric target."""
    frame = pd.DataFrame(people_rows(n, seed), columns=COLUMNS).replace({"": None, "NA": None}).drop(columns="amount")
    return frame.assign(age=frame["age"].astype(float))


def people_parquet(folder: Path, frame: pd.DataFrame, files: int = 3, group: int = 70) -> Path:
    """Write a frame as numbered Parquet files of small row groups."""
    folder.mkdir(exist_ok=True)
    for k, index in enumerate(np.array_split(np.arange(len(frame)), files)):
        frame.iloc[index].to_parquet(folder / f"part-{k}.parquet", row_group_size=group, index=False)
    return folder
