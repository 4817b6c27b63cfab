"""Sets with separable constraints as interior-point methods see them: multipliers, slacks and their Newton model."""

from .base import HasInteriorForm, Interior, InteriorForm, InteriorModel
from .bounds import BoundsForm
from .divergences import Chi2Form, KLForm
from .point import KL_ROUNDING_RADIUS, ROUNDING_RADIUS, PointForm
from .sums import SumForm

__all__ = [
    "KL_ROUNDING_RADIUS",
    "ROUNDING_RADIUS",
    "BoundsForm",
    "Chi2Form",
    "HasInteriorForm",
    "Interior",
    "InteriorForm",
    "InteriorModel",
    "KLForm",
    "PointForm",
    "SumForm",
]
