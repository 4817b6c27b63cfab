"""Losses of linear models, one per group: checked input, tables in memory and files, kernels, pointwise losses."""

from .files.file_table import FileTable
from .grouped_linear import GroupedLinear
from .held_out import HeldOut
from .pointwise_loss import PointwiseLoss
from .pointwise_losses import Huber, Logistic, Poisson, Quantile, Softmax, Squared, SquaredHinge

__all__ = [
    "FileTable",
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
