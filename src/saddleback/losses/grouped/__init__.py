"""Losses of linear models, one per group: pointwise losses, tables, and the fused kernel that reads X once."""

from .grouped_linear import GroupedLinear
from .held_out import HeldOut
from .pointwise import Huber, Logistic, PointwiseLoss, Poisson, Quantile, Softmax, Squared, SquaredHinge

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
