"""f: the losses, one per group, class, environment or scenario."""

from .base import Losses
from .callables import FunctionLosses, PairLosses, from_functions
from .differences import check_jacobian
from .rescaled import RescaledLosses

__all__ = ["FunctionLosses", "Losses", "PairLosses", "RescaledLosses", "check_jacobian", "from_functions"]
