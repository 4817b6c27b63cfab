"""f: the losses, one per group, class, environment or scenario."""

from .base import Losses
from .callables import FunctionLosses, PairLosses, from_functions
from .differences import check_jacobian
from .grouped import GroupedLinear, Huber, Logistic, PointwiseLoss, Poisson, Quantile, Softmax, Squared, SquaredHinge
from .rescaled import RescaledLosses

__all__ = [
    "FunctionLosses",
    "GroupedLinear",
    "Huber",
    "Logistic",
    "Losses",
    "PairLosses",
    "PointwiseLoss",
    "Poisson",
    "Quantile",
    "RescaledLosses",
    "Softmax",
    "Squared",
    "SquaredHinge",
    "check_jacobian",
    "from_functions",
]
