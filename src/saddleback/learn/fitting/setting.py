"""The settings that all models of one estimator share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..._types import Vector
from ...dual_sets import DualSet
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...regularizers import Regularizer, Zero
from .observer import NOBODY, Observer
from .pointwise import Units


@dataclass(frozen=True, eq=False)
class Setting:
    """How a candidate becomes a problem, and how the problem is solved."""

    loss: PointwiseLoss
    n_classes: int = 0
    """The number of classes; 0 for a regression."""
    fit_intercept: bool = True
    standardize: bool = True
    dual_set: DualSet | None = None
    """The weights of the adversary; the contamination set of the candidate unless given."""
    regularizer: Regularizer = field(default_factory=Zero)
    reference: str | Vector | None = None
    """What is subtracted from the losses: nothing, "average", "own", or a number for each group."""
    method: Any = "auto"
    tol: float = 1e-6
    units: Units = field(default_factory=Units)
    max_iter: int = 1000
    n_threads: int | None = None
    observer: Observer = NOBODY
    """Who is told of splits that are done and of the iterations of fits to all rows."""
