"""f: the losses, one per group, class, environment or scenario."""

from .base import Losses
from .callables import FunctionLosses, PairLosses, from_functions
from .differences import check_jacobian
from .facts import LossFacts
from .grouped import (
    FileTable,
    GroupedLinear,
    HeldOut,
    Huber,
    Logistic,
    PointwiseLoss,
    Poisson,
    Quantile,
    Softmax,
    Squared,
    SquaredHinge,
)
from .matrices import AffineMatrix, MatrixFunctions, from_matrix_functions
from .rescaled import RescaledLosses

__all__ = [
    "AffineMatrix",
    "FileTable",
    "FunctionLosses",
    "GroupedLinear",
    "HeldOut",
    "Huber",
    "Logistic",
    "LossFacts",
    "Losses",
    "MatrixFunctions",
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
    "from_matrix_functions",
]
