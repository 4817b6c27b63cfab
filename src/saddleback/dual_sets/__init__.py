"""Lambda: the sets the adversary chooses from, one per file."""

from .base import DualSet, LinearConstraints, Polyhedral
from .simplex import Simplex

DUAL_SETS: tuple[type[DualSet], ...] = (Simplex,)

__all__ = ["DUAL_SETS", "DualSet", "LinearConstraints", "Polyhedral", "Simplex"]
