"""Estimators in the conventions of scikit-learn, and what they are judged by: held-out losses of every group.

It needs the extra ``learn``: ``pip install 'saddleback[learn]'``.
"""

from __future__ import annotations

from ..errors import MissingDependencyError

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise MissingDependencyError(
        "saddleback.learn needs scikit-learn, which is not installed: pip install 'saddleback[learn]'."
    ) from error

from .correction.worst_group_correction import WorstGroupCorrection
from .estimators.classifier import MinimaxClassifier
from .estimators.cross_validated import MinimaxClassifierCV, MinimaxRegressorCV
from .estimators.regressor import MinimaxRegressor
from .group_table import group_table
from .groups import MISSING, REST, Groups, read_sensitive_features, take_columns
from .path.fairness_path import fairness_path
from .path.outcome import FairnessPath
from .scorer import worst_group_scorer
from .selection.selection import Selection
from .table import Table

__all__ = [
    "MISSING",
    "REST",
    "FairnessPath",
    "Groups",
    "MinimaxClassifier",
    "MinimaxClassifierCV",
    "MinimaxRegressor",
    "MinimaxRegressorCV",
    "Selection",
    "Table",
    "WorstGroupCorrection",
    "fairness_path",
    "group_table",
    "read_sensitive_features",
    "take_columns",
    "worst_group_scorer",
]
