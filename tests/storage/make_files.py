"""Writes the files of this version that later versions must read: python tests/storage/make_files.py FOLDER

The folder is named as the version, such as tests/storage/files/v0.2.0. Beside the files stands expected.json: the rows
to predict for, and what the loaded objects say. Times are set to zero, so that the same program writes the same bytes,
but for the checkpoint.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import saddleback as sb
from saddleback.workflow.table_model import TableModel

CHECKPOINT = "checkpoint.ckpt"
FOUR = ["age", "income", "snow \u2603", "town"]
CENTERS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])


def losses() -> Any:
    """Squared distances to three points; the problem of the result and of the checkpoint."""
    return sb.from_functions(lambda w: (((w - CENTERS) ** 2).sum(axis=1), 2 * (w - CENTERS)), np.zeros(2), jac=True)


def frame_of(n: int) -> pd.DataFrame:
    """Numbers, one of them with holes, categories and two columns of groups."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((n, 3)).round(3), columns=["age", "income", "snow \u2603"])
    frame["town"] = np.where(rng.random(n) < 0.7, "big", "small")
    frame["over 60"] = rng.random(n) < 0.4
    return frame


def with_categories(frame: pd.DataFrame) -> pd.DataFrame:
    jobs = np.array(["clerk", "baker", None, "pilot"], dtype=object)[(frame.age.to_numpy() * 9).astype(int) % 4]
    return frame.assign(job=pd.Categorical(jobs), income=frame.income.where(frame.income > -1.0))


def with_words(frame: pd.DataFrame) -> pd.DataFrame:
    words = np.where(frame.age > 0.5, "old", np.where(frame.income > 0, "rich", "neither"))
    return frame.assign(word=words, income=frame.income.where(frame.income > -1.0))


def objects() -> dict[str, tuple[Any, str]]:
    """Everything that is saved, by the names of the files, with the kind of rows that it predicts for."""
    n = 160
    frame, rng = frame_of(n), np.random.default_rng(1)
    eta = frame.age + np.where(frame.town == "big", 1.0, -1.0) * frame.income + rng.logistic(size=n)
    few: dict[str, Any] = {"worst_weights": [0, 0.5, 1], "priors": [0, 1], "l2s": [0.01, 0.1], "cv": 3}
    by, plain = ["town", "over 60"], frame[FOUR[:3]].to_numpy()
    yes = np.where(eta > 0, "yes", "no")
    boosting = {"max_iter": 5, "max_leaf_nodes": 5, "min_samples_leaf": 5}
    entropy = sb.Entropy(0.05, np.array([0.5, 0.5]))
    return {
        "classifier": (sb.MinimaxClassifier(0.5, group_by=by).fit(frame, yes), "frame"),
        "classifier of three classes": (
            sb.MinimaxClassifier(l2=0.1, regularizer=entropy).fit(
                plain, np.digitize(eta, [-1, 1]), sensitive_features=frame.town
            ),
            "matrix",
        ),
        "regressor": (
            sb.MinimaxRegressor(loss=sb.losses.Quantile(0.8), dual_set=sb.CappedSimplex(0.6)).fit(
                plain, eta, sensitive_features=frame["over 60"]
            ),
            "matrix",
        ),
        "classifier cv": (sb.MinimaxClassifierCV(**few, repeats=1, group_by=by).fit(frame, yes), "frame"),
        "regressor cv": (
            sb.MinimaxRegressorCV(**few, repeats=1, group_by="town").fit(frame[FOUR], eta),
            "four",
        ),
        "correction of boosting": (
            sb.WorstGroupCorrection(
                HistGradientBoostingClassifier(**boosting), features=["age"], group_by=by, rule="best", **few
            ).fit(with_categories(frame), yes),
            "categories",
        ),
        "correction of numbers": (
            sb.WorstGroupCorrection(HistGradientBoostingRegressor(**boosting), rule="best", **few).fit(
                plain, eta, sensitive_features=frame.town
            ),
            "matrix",
        ),
        "correction of ours": (
            sb.WorstGroupCorrection(sb.MinimaxRegressor(0.0), rule="best", **few).fit(
                plain, eta, sensitive_features=frame.town
            ),
            "matrix",
        ),
        "path": (
            sb.fairness_path(plain, eta > 0, frame.town, worst_weights=[0, 0.5, 1], l2=0.01, cv=3, repeats=1),
            "matrix",
        ),
        "table": (
            sb.fit_table(
                with_words(frame).assign(paid=yes), target="paid", groups=["town"], worst_weight=0.5, evidence=False
            ),
            "words",
        ),
        "result": (sb.solve(sb.Problem(losses())), ""),
    }


def rows(kind: str) -> Any:
    """Rows that no model was fitted on."""
    frame = frame_of(200).iloc[160:172].reset_index(drop=True)
    if kind == "matrix":
        return frame[FOUR[:3]].to_numpy()
    if kind == "words":
        return with_words(frame)
    if kind == "categories":
        return with_categories(frame)
    return frame[FOUR] if kind == "four" else frame


def said(item: Any, kind: str) -> dict[str, Any]:
    """What an object says, as JSON."""
    if isinstance(item, sb.Result):
        return {"text": str(item), "w": item.w.tolist(), "value": item.value, "gap": item.gap}
    if isinstance(item, sb.learn.FairnessPath):
        return {"text": repr(item), "models": [said(model, kind) for model in item.models]}
    X = rows(kind)
    if isinstance(item, TableModel):
        return {"table": item.predict(X).to_pydict(), "model": {"group_names": item.model.group_names_}}
    answer: dict[str, Any] = {
        "prediction": item.predict(X).tolist(),
        "group_names": [str(g) for g in item.group_names_],
    }
    if getattr(item, "classes_", None) is not None:
        answer["probabilities"] = item.predict_proba(X).tolist()
    if getattr(item, "selection_", None) is not None:
        answer["text"] = str(item.selection_)
    return answer


def without_times(result: sb.Result) -> sb.Result:
    return replace(result, history=replace(result.history, time=np.zeros(len(result.history))))


def still(item: Any) -> Any:
    """The object with all times at zero."""
    if isinstance(item, sb.Result):
        return without_times(item)
    if isinstance(item, sb.learn.FairnessPath):
        bounds = [replace(bound, result=without_times(bound.result)) for bound in item.bounds]
        one_se = replace(item.one_se, bound=bounds[item.one_se.chosen])
        return replace(item, models=[still(model) for model in item.models], bounds=bounds, one_se=one_se)
    if isinstance(item, TableModel):
        return replace(item, model=still(item.model))
    item.result_ = without_times(item.result_)
    selection = getattr(item, "selection_", None)
    if selection is not None:
        item.selection_ = replace(
            selection, bound=replace(selection.bound, result=without_times(selection.bound.result))
        )
    inner = getattr(item, "estimator_", None)
    if isinstance(inner, sb.MinimaxRegressor):
        still(inner)
    return item


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    expected: dict[str, Any] = {"written_by": f"saddleback {sb.__version__}"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (item, kind) in objects().items():
            file = f"{name.replace(' ', '-')}.safetensors"
            still(item).save(folder / file)
            expected[file] = {"class": type(item).__name__, "rows": kind, **said(item, kind)}
        # A run that has stopped, and where it ends once it goes on.
        sb.solve(sb.Problem(losses()), np.array([3.0, 3.0]), max_iter=2, checkpoint=folder / CHECKPOINT)
        expected[CHECKPOINT] = {"value": sb.solve(sb.Problem(losses()), np.array([3.0, 3.0])).value}
    text = json.dumps(expected, indent=1, allow_nan=False)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
