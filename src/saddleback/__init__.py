"""Saddleback: certified minimax optimization with many parameters and few losses."""

from .dual_sets import Simplex
from .errors import ConvergenceWarning, IncompatibleError, MissingDependencyError, ProblemError, SaddlebackError
from .losses import GroupedLinear, Losses, from_functions
from .methods import (
    APGD,
    LBFGSB,
    Accelerated,
    Extragradient,
    FixedPoint,
    Newton,
    Optimistic,
    ProxLinear,
    QuasiNewton,
)
from .minimax import minimax
from .problem import Problem
from .regularizers import Entropy, Quadratic, Zero
from .result import History, Result, Status
from .run import Progress
from .solve import solve
from .subproblem import PathFollowing, QuadraticProgram, TrustConstr

__version__ = "0.1.0"

__all__ = [
    "APGD",
    "LBFGSB",
    "Accelerated",
    "ConvergenceWarning",
    "Entropy",
    "Extragradient",
    "FixedPoint",
    "GroupedLinear",
    "History",
    "IncompatibleError",
    "Losses",
    "MissingDependencyError",
    "Newton",
    "Optimistic",
    "PathFollowing",
    "Problem",
    "ProblemError",
    "Progress",
    "ProxLinear",
    "Quadratic",
    "QuadraticProgram",
    "QuasiNewton",
    "Result",
    "SaddlebackError",
    "Simplex",
    "Status",
    "TrustConstr",
    "Zero",
    "__version__",
    "from_functions",
    "minimax",
    "solve",
]
