"""Losses of linear models, one per group: checked input, tables in memory, compiled kernels, pointwise losses."""

from .grouped_linear import GroupedLinear
from .held_out import HeldOut
from .pointwise_loss import PointwiseLoss
from .pointwise_losses import Huber, Logistic, Poisson, Quantile, Softmax, Squared, SquaredHinge

__all__ = [
    "GroupedLinear",
    "HeldOut",
    "Huber",
    "Logistic",
    "PointwiseLoss",
    "Poisson",
    "Quantile",
    "Softmax",
    "Squared",
    "SquaredHinge",
]
