"""Saddleback: models that must not fail any group, and certified minimax optimization with many parameters and few
losses.

Models in the conventions of scikit-learn, of `saddleback.learn` (extra ``learn``):

- `MinimaxClassifierCV`, `MinimaxRegressorCV`: a linear model between the best average and the best worst group, chosen
  by held-out rows; start here.
- `MinimaxClassifier`, `MinimaxRegressor`: one such model, at a point that you choose.
- `WorstGroupCorrection`: a model that you have, corrected where this helps its worst group.
- `fairness_path`: the models from the average to the worst group, with what every group gets on held-out rows.
- `group_table`, `worst_group_scorer`: how every group is served by any predictions.

On a Dask cluster, by `saddleback.distributed` (extra ``dask``): the same models of arrays and frames that Dask holds.

The solver: `minimax` for functions, `solve` for a `Problem` of losses, a dual set and a regularizer, `GroupedLinear`
for the losses of linear models by group, `certify` for any point.

Models, results and paths have ``save(path)``; `load` reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .certify import Certificate, certify
from .dual_sets import (
    Ball,
    Box,
    CappedSimplex,
    Chi2Ball,
    Contamination,
    DualSet,
    KLBall,
    Polytope,
    Product,
    Simplex,
    Spectrahedron,
    TVBall,
)
from .engine.progress import Progress
from .errors import ConvergenceWarning, IncompatibleError, MissingDependencyError, ProblemError, SaddlebackError
from .losses import AffineMatrix, FileTable, GroupedLinear, Losses, from_functions, from_matrix_functions
from .methods import (
    APGD,
    LBFGSB,
    Accelerated,
    AlgorithmOne,
    Extragradient,
    FixedPoint,
    InteriorPoint,
    Newton,
    Optimistic,
    ProxLinear,
    QuasiNewton,
)
from .minimax import minimax
from .problem import Problem
from .regularizers import Entropy, Quadratic, Regularizer, VonNeumann, Zero
from .result import History, Result, Status
from .solve import solve
from .subproblem import PathFollowing, QuadraticProgram, TrustConstr

__all__ = [
    "APGD",
    "LBFGSB",
    "Accelerated",
    "AffineMatrix",
    "AlgorithmOne",
    "Ball",
    "Box",
    "CappedSimplex",
    "Certificate",
    "Chi2Ball",
    "Contamination",
    "ConvergenceWarning",
    "DualSet",
    "Entropy",
    "Extragradient",
    "FileTable",
    "FixedPoint",
    "GroupedLinear",
    "History",
    "IncompatibleError",
    "InteriorPoint",
    "KLBall",
    "Losses",
    "MissingDependencyError",
    "Newton",
    "Optimistic",
    "PathFollowing",
    "Polytope",
    "Problem",
    "ProblemError",
    "Product",
    "Progress",
    "ProxLinear",
    "Quadratic",
    "QuadraticProgram",
    "QuasiNewton",
    "Regularizer",
    "Result",
    "SaddlebackError",
    "Simplex",
    "Spectrahedron",
    "Status",
    "TVBall",
    "TrustConstr",
    "VonNeumann",
    "Zero",
    "__version__",
    "certify",
    "from_functions",
    "from_matrix_functions",
    "load",
    "minimax",
    "solve",
    "testing",
]

# The names of `saddleback.learn`, which is imported when one of them is asked for: it needs scikit-learn.
_LEARN = (
    "MinimaxClassifier",
    "MinimaxClassifierCV",
    "MinimaxRegressor",
    "MinimaxRegressorCV",
    "WorstGroupCorrection",
    "fairness_path",
    "group_table",
    "worst_group_scorer",
)

# The names of `saddleback.workflow` and their modules.
_WORKFLOW = {"fit_table": "fit_table", "load": "loading"}

# Imported when they are asked for: the solver does not need them.
_FOLDERS = ("distributed", "learn", "testing")

if TYPE_CHECKING:
    from . import distributed as distributed
    from . import learn as learn
    from . import testing as testing
    from .learn import MinimaxClassifier as MinimaxClassifier
    from .learn import MinimaxClassifierCV as MinimaxClassifierCV
    from .learn import MinimaxRegressor as MinimaxRegressor
    from .learn import MinimaxRegressorCV as MinimaxRegressorCV
    from .learn import WorstGroupCorrection as WorstGroupCorrection
    from .learn import fairness_path as fairness_path
    from .learn import group_table as group_table
    from .learn import worst_group_scorer as worst_group_scorer
    from .workflow.fit_table import fit_table as fit_table
    from .workflow.loading import load as load


def __getattr__(name: str) -> Any:
    """A name of `saddleback.learn` or `saddleback.workflow`, which may need it, or a folder."""
    if name not in (*_FOLDERS, *_LEARN, *_WORKFLOW):
        raise AttributeError(f"module 'saddleback' has no attribute {name!r}")
    from importlib import import_module

    if name in _WORKFLOW:
        return getattr(import_module(f".workflow.{_WORKFLOW[name]}", __name__), name)
    if name in _FOLDERS:
        return import_module(f".{name}", __name__)
    return getattr(import_module(".learn", __name__), name)


def __dir__() -> list[str]:
    names = {*globals(), *_LEARN, *_WORKFLOW, *_FOLDERS}
    return sorted(names - {"Any", "TYPE_CHECKING", "annotations"})
