"""Small files of every kind of saved object, and their contents."""

from __future__ import annotations

import io
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

import saddleback as sb
from saddleback.storage import Unreadable
from saddleback.storage.container import read_header, write
from saddleback.storage.kinds import KINDS

Contents = tuple[str, dict[str, str], dict[str, Any]]
"""The kind of a file, its texts and its arrays."""


@cache
def seeds() -> list[bytes]:
    """Small files of every kind."""
    rng = np.random.default_rng(0)
    X, town = rng.standard_normal((80, 2)), np.repeat(["big", "small"], [50, 30])
    eta = X[:, 0] + np.where(town == "big", 1.0, -1.0) * X[:, 1] + rng.logistic(size=80)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(town=town, kind=pd.Categorical(np.arange(80) % 3))
    few: dict[str, Any] = {"worst_weights": [0, 1], "priors": [0], "cv": 2}
    boosting = HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4, min_samples_leaf=5)
    with threadpool_limits(1):
        saved: list[Any] = [
            sb.minimax(lambda w: [w @ w, (w - 1) @ (w - 1)], np.zeros(2), jac=lambda w: [2 * w, 2 * w - 2]),
            sb.MinimaxClassifier(l2=0.1, regularizer=sb.Entropy(0.1)).fit(X, eta > 0, sensitive_features=town),
            sb.MinimaxClassifier(l2=0.1, group_by="town").fit(frame[["a", "b", "town"]], np.digitize(eta, [-1, 1])),
            sb.MinimaxRegressor(loss="poisson").fit(X, np.abs(eta).round(), sensitive_features=town == "big"),
            sb.MinimaxClassifierCV(**few, l2s=[0.1], repeats=1).fit(X, eta > 0, sensitive_features=town),
            sb.WorstGroupCorrection(boosting, features=["a", "b"], group_by="town", rule="best", l2s=[0.1], **few).fit(
                frame, np.where(eta > 0, "yes", "no")
            ),
            sb.fairness_path(X, eta, sensitive_features=town, worst_weights=[0, 1], l2=0.1, cv=2, repeats=1),
            sb.fit_table(table_of(frame, eta), target="y", groups="town", worst_weight=0.5, evidence=False),
        ]
    file, found = scratch(), []
    for item in saved:
        file.unlink(missing_ok=True)
        item.save(file)
        found.append(file.read_bytes())
    file.unlink()
    return found


def table_of(frame: pd.DataFrame, eta: Any) -> dict[str, list[Any]]:
    """The columns of a table, as a user has them."""
    words = {"kind": [f"kind {k}" for k in frame["kind"]], "y": np.where(eta > 0, "yes", "no").tolist()}
    return {**{name: frame[name].tolist() for name in ("a", "b", "town")}, **words}


@cache
def scratch() -> Path:
    """A file of this process, in memory where the system has such a folder."""
    memory = Path("/dev/shm")
    folder = memory if memory.is_dir() and os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    return folder / f"saddleback-fuzz-files-{os.getpid()}"


def contents_of(data: bytes) -> Contents:
    """What stands in a file, whatever its checksum; Unreadable or a SafetensorError where it is no file of ours."""
    header = read_header(io.BytesIO(data))
    return header.kind.name, dict(header.texts), {name: array.copy() for name, array in load_tensors(data).items()}


def packed(contents: Contents) -> bytes:
    """A file with these contents."""
    kind, texts, arrays = contents
    out = io.BytesIO()
    write(out, KINDS[kind], texts, arrays)
    return out.getvalue()


def repaired(data: bytes) -> bytes:
    """A file whose checksum agrees with its contents; as it is where it has none."""
    try:
        return packed(contents_of(data))
    except (Unreadable, SafetensorError, OSError):
        return data


@cache
def sound() -> list[Contents]:
    """The contents of the seeds."""
    return [contents_of(data) for data in seeds()]
