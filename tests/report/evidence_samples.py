"""Evidence that follows the schema, made of random numbers: of any size, with any names, and with nulls everywhere."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "\"quoted\" & 'single' <b>bold</b>",
    "a | b `code` [link](//host/x) www.x.y *star* _under_ # head",
    "line one\nline two\r\ttab",
    "عربي مجموعة",
    "\u202eoverride\u202c \u2067isolate",
    "\N{PILE OF POO}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET} é",
    "\x00\x1b[31mcontrol\u2028separator",
    "x" * 10_000,
    "x" * 5_000 + "y" + "x" * 4_999,
    "{{ 7 * 7 }} {% raw %} ${1} %s",
    " ",
    "-",
    "javascript:alert(3)",
    "<!-- comment --> ]]> &amp; &lt;",
]
RATES = ("accuracy", "true_positive_rate", "false_positive_rate", "selection_rate")


def group_names(n_groups: int, hostile: bool = False) -> list[str]:
    """Names of groups: those of two crossed columns, or HOSTILE ones."""
    if hostile:
        return [HOSTILE[j % len(HOSTILE)] + ("" if j < len(HOSTILE) else f" {j}") for j in range(n_groups)]
    if n_groups <= 6:
        return ["Black, women", "Black, men", "White, women", "White, men", "Asian, women", "(unknown)"][:n_groups]
    return [f"county {j // 4:03d}, age {(j % 4) * 20}+" for j in range(n_groups)]


def group_row(
    rng: np.random.Generator, name: str, rows: int, share: float, task: str, n_classes: int
) -> dict[str, Any]:
    loss = float(rng.uniform(0.3, 0.7))
    error = float(0.5 / np.sqrt(rows))
    entry: dict[str, Any] = {
        "group": name,
        "rows": rows,
        "share": share,
        "small": share < 0.02,
        "unknown": "unknown" in name,
    }
    entry |= _with_interval("loss", loss, error)
    if task == "regression":
        entry |= _with_interval("mean_absolute_error", loss * 0.8, error) | _with_interval(
            "mean_error", loss - 0.5, error
        )
    elif n_classes > 2:
        entry |= _with_interval("accuracy", float(rng.uniform(0.6, 0.95)), error)
    else:
        for name_ in RATES:
            entry |= _with_interval(name_, float(rng.uniform(0.2, 0.9)), error)
        entry |= _with_interval("impact_ratio", float(rng.uniform(0.6, 1.0)), 2 * error)
        entry |= {"base_rate": float(rng.uniform(0.2, 0.6)), "calibration": float(rng.normal(0, 0.02))}
    change = float(rng.normal(-0.01, 0.02))
    return entry | {"average_loss": loss - change, "change": change, "change_error": error / 5}


def _with_interval(name: str, value: float, error: float) -> dict[str, float]:
    return {name: value, f"{name}_low": value - 1.96 * error, f"{name}_high": value + 1.96 * error}


def _groups(rng: np.random.Generator, names: list[str], task: str, n_classes: int) -> list[dict[str, Any]]:
    shares = rng.dirichlet(np.full(len(names), 1.5))

    def table(listed: list[str], parts: np.ndarray, n: int) -> list[dict[str, Any]]:
        rows = np.maximum((parts * n).astype(int), 3).tolist()
        return [group_row(rng, *entry, task, n_classes) for entry in zip(listed, rows, parts.tolist(), strict=True)]

    def entry(attribute: str, kind: str, caption: str, listed: list[str], parts: np.ndarray) -> dict[str, Any]:
        tables = {"train": table(listed, parts, 4137), "held_out": table(listed, parts, 4137)}
        return {"attribute": attribute, "kind": kind, "caption": caption, **tables}

    two = np.array([0.55, 0.45])
    return [
        entry("everyone", "all", "All rows", ["Everyone"], np.ones(1)),
        entry("sex", "alone", "How the model serves every group of sex", ["women", "men"], two),
        entry("race, sex", "crossed", "How the model serves every group of race and sex", names, shares),
    ]


def _tradeoff(rng: np.random.Generator, names: list[str], classification: bool) -> dict[str, Any]:
    weights = [0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0]
    start = rng.uniform(0.35, 0.62, len(names))
    pull = rng.uniform(-0.08, 0.1, len(names)) * np.where(start > start.mean(), -0.6, 1.0)
    losses = np.array([start + pull * np.sqrt(p) + 0.03 * p for p in weights])
    errors = np.tile(rng.uniform(0.008, 0.05, len(names)), (len(weights), 1))
    change_errors = 0.2 * errors * np.sqrt(np.array(weights))[:, None]
    average = losses.mean(axis=1)
    return {
        "worst_weights": weights,
        "prior": "shares",
        "l2": 0.01,
        "chosen": 2,
        "groups": names,
        "losses": losses.tolist(),
        "errors": errors.tolist(),
        "changes": (losses - losses[0]).tolist(),
        "change_errors": change_errors.tolist(),
        "average": average.tolist(),
        "average_errors": [0.004] * len(weights),
        "average_changes": (average - average[0]).tolist(),
        "average_change_errors": (0.0012 * np.sqrt(weights)).tolist(),
        "train_losses": (losses - 0.01).tolist(),
        "selection_rates": np.clip(losses, 0, 1).tolist() if classification else None,
        "unit": "mean log loss, nats" if classification else "mean squared error, points²",
        "words": "From the average model on the left to the worst-group model on the right, on rows held out.",
    }


def _challengers(rng: np.random.Generator, names: list[str], classification: bool) -> list[dict[str, Any]]:
    listed = {
        "average model": "Ordinary regularized regression.",
        "this model": "The point of the path that the rule chose.",
        "balanced groups": "All groups count the same.",
        "gradient boosting": "Trees, HistGradientBoosting of scikit-learn.",
        "corrected boosting": "Gradient boosting with a correction for its worst group.",
    }
    found = []
    for i, (name, words) in enumerate(listed.items()):
        worst, average = float(0.63 - 0.012 * i), float(0.5 + 0.002 * i)
        found.append(
            {
                "name": name,
                "words": words,
                "worst_group": names[i % len(names)],
                "worst_loss": worst,
                "worst_loss_error": 0.031,
                "average_loss": average,
                "average_loss_error": 0.0052,
                "difference": -0.012 * i,
                "difference_error": 0.005 * (i > 0),
                "average_difference": 0.0008 * i,
                "average_difference_error": 0.0006 * (i > 0),
                "group_losses": rng.uniform(0.4, 0.7, len(names)).tolist(),
                "accuracy": 0.81 if classification else None,
                "chosen": i == 1,
            }
        )
    return found


def _candidates(names: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "worst_weight": p,
            "prior": prior,
            "l2": l2,
            "worst_loss": 0.62 - 0.02 * p,
            "worst_loss_error": 0.02,
            "worst_group": names[0],
            "average_loss": 0.5 + 0.01 * p,
            "gain": 0.02 * p,
            "gain_error": 0.005,
            "price": 0.01 * p,
            "price_error": 0.0012,
            "admissible": p > 0,
            "chosen": (p, prior, l2) == (0.1, "shares", 0.01),
        }
        for prior in ("shares", "balanced")
        for p in (0.0, 0.05, 0.1, 0.25, 0.5, 1.0)
        for l2 in (0.001, 0.01)
    ]


def evidence(
    n_groups: int = 5,
    n_features: int = 30,
    task: str = "classification",
    *,
    n_classes: int = 2,
    hostile: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Evidence of a model, as a chosen model with a gain has it."""
    rng = np.random.default_rng(seed)
    names = group_names(n_groups, hostile)
    classification = task == "classification"
    n_outputs = n_classes if classification and n_classes > 2 else 1
    classes = [f"class {k}" for k in range(n_classes)] if classification else None
    features = [HOSTILE[i % len(HOSTILE)] if hostile else f"feature_{i}" for i in range(n_features)]
    odd = HOSTILE[1] if hostile else "loans"
    return {
        "format": "saddleback report",
        "version": 1,
        "title": f"Approval of {odd}" if hostile else "Loan approval by race and sex",
        "task": task,
        "classes": classes,
        "positive": "approved" if classification and n_classes == 2 else None,
        "threshold": 0.5 if classification else None,
        "outcome": "gain",
        "answer": [
            f"On rows that had no part in fit or choice, the loss of {names[0]}, the group worst off under the average"
            " model, falls by 0.024 (0.005), from 0.625 to 0.601.",
            "The average of all rows rises by 0.0008 (0.0006).",
            "Use this model if the gain for this group is worth that price; in 87 % of bootstrap samples the rule"
            " chooses a model with a gain.",
        ],
        "objective": {
            "loss": "logistic" if classification else "squared",
            "unit": "nats per row",
            "formula": "(1 - p) <prior, f(w)> + p max_j f_j(w),   f_j(w) = mean loss of group j + l2/2 |w|^2",
            "worst_weight": 0.1,
            "prior": "shares",
            "l2": 0.01,
            "n_candidates": 24,
            "rule": "Among candidates within one standard error of the least largest loss, the least average loss.",
            "why": "Of 24 candidates this one lowers the largest held-out loss by more than chance explains.",
            "candidates": _candidates(names),
        },
        "rows": {
            "train": 4137,
            "held_out": 4137,
            "held_out_kind": "outer folds",
            "held_out_words": "Every row was held out once, in one of five outer folds.",
            "sampled": None,
            "weighted": False,
            "guess_loss": 0.693,
        },
        "groups": _groups(rng, names, task, n_classes),
        "tradeoff": _tradeoff(rng, names, classification),
        "challengers": _challengers(rng, names, classification),
        "certificate": {
            "value": 0.5631,
            "lower_bound": 0.56309,
            "gap": 1.2e-7,
            "certified": True,
            "largest_loss": 0.5972,
            "largest_loss_bound": 0.5921,
            "region": "for intercepts within 2.5 of the one found",
            "words": [
                "No linear model with this penalty has a largest loss below 0.592 on these rows.",
                "This is about optimization, not about new data.",
            ],
        },
        "stability": {
            "n_bootstrap": 200,
            "binding": [
                {"group": name, "weight": float(w), "share": float(s)}
                for name, w, s in zip(names, rng.dirichlet(np.ones(n_groups)), rng.uniform(0, 1, n_groups), strict=True)
            ],
            "choices": [
                {"worst_weight": 0.1, "prior": "shares", "share": 0.62},
                {"worst_weight": 0.25, "prior": "shares", "share": 0.25},
                {"worst_weight": 0.0, "prior": "shares", "share": 0.13},
            ],
            "n_choices": 150,
            "kept_share": 0.13,
            "chosen_share": 0.62,
            "fold_choices": [{"worst_weight": p, "prior": "shares", "l2": 0.01} for p in (0.1, 0.1, 0.25, 0.1, 0.05)],
            "words": "In 200 bootstrap samples the rule chose the same point in 62 %.",
        },
        "coefficients": {
            "classes": classes if n_outputs > 1 else None,
            "intercept": rng.normal(size=n_outputs).tolist(),
            "average_intercept": [0.25] * n_outputs,
            "rows": [
                {
                    "feature": name,
                    "value": rng.normal(size=n_outputs).tolist(),
                    "standardized": rng.normal(size=n_outputs).tolist(),
                    "average_model": rng.normal(size=n_outputs).tolist(),
                }
                for name in features
            ],
            "words": "Coefficients in units of the columns; standardized ones are per standard deviation.",
        },
        "calibration": [
            {
                "group": name,
                "rows": 400,
                "bins": [
                    {
                        "rows": 40 + 4 * k,
                        "predicted": (k + 0.5) / 8,
                        "observed": float(np.clip((k + 0.5) / 8 + e, 0, 1)),
                        "low": max((k + 0.5) / 8 + float(e) - 0.08, 0.0),
                        "high": min((k + 0.5) / 8 + float(e) + 0.08, 1.0),
                    }
                    for k, e in enumerate(rng.normal(0, 0.04, 8))
                ],
            }
            for name in names
        ]
        if classification and n_classes == 2
        else None,
        "data": {
            "columns": [
                {"name": name, "kind": "number", "rule": "standardized to mean 0 and standard deviation 1"}
                for name in features
            ],
            "findings": [
                {
                    "column": features[0] if features else None,
                    "kind": "missing",
                    "severity": "note",
                    "message": "3.1 % of the rows have no value; the mean stands for them.",
                },
                {
                    "column": "application_id",
                    "kind": "identifier",
                    "severity": "warning",
                    "message": "Every row has its own value: it was left out.",
                },
            ],
            "missing": "Missing numbers are replaced by the mean of the training rows, with a column that says so.",
        },
        "limits": [
            "The model makes losses of groups smaller; it does not make rates equal: this is not parity.",
            "This page is not legal advice.",
            "Groups of few rows have wide intervals.",
        ],
        "guidance": [
            {
                "source": "NYC Local Law 144",
                "asks": "Selection rates and impact ratios by sex, race and their intersections",
                "where": "How every group is served",
            },
            {
                "source": "EU AI Act, Annex IV 2(b)",
                "asks": "What the system is designed to optimize for",
                "where": "What was optimized, and why this point of the path",
            },
            {
                "source": "EU AI Act, Annex IV 2(g)",
                "asks": "Validation data, metrics, and potentially discriminatory impacts",
                "where": "How every group is served; Limits",
            },
            {
                "source": "SR 11-7",
                "asks": "Comparison with alternatives; stability; limits",
                "where": "Challengers; Stability; Limits",
            },
        ],
        "provenance": {
            "created": "2026-11-18T04:00:00+00:00",
            "versions": {"saddleback": "0.2.0", "python": "3.12.1", "numpy": "2.1.0"},
            "fingerprint": {"sha256": "ab" * 32, "rows": 4137, "columns": 12, "of": "the rows of the fit"},
            "settings": {"loss": "logistic", "folds": 5, "worst_weights": [0.0, 0.1]},
            "command": "saddleback report model.safetensors --out report.html",
            "purpose": None,
            "owner": None,
        },
    }


OPTIONAL_SECTIONS = ("tradeoff", "stability", "calibration")


def bare(**arguments: Any) -> dict[str, Any]:
    """Evidence with null wherever the schema allows it, and empty lists."""
    full = evidence(**arguments)
    full |= dict.fromkeys(OPTIONAL_SECTIONS) | {
        "challengers": [],
        "limits": [],
        "guidance": [],
        "classes": None,
        "positive": None,
    }
    full["outcome"] = "given"
    full["objective"] |= {"n_candidates": None, "candidates": None, "l2": None}
    full["coefficients"] |= {"rows": []}
    full["data"] = {"columns": None, "findings": [], "missing": None}
    full["provenance"] |= {"command": None, "settings": {}, "versions": {}}
    return full


def without_numbers(value: Any) -> Any:
    """A copy of evidence in which every float is null."""
    if isinstance(value, dict):
        return {key: entry if key == "worst_weights" else without_numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_numbers(entry) for entry in value]
    return None if isinstance(value, float) else copy.copy(value)
