"""R: what the adversary pays, one regularizer per file."""

from .base import QuadraticForm, Regularizer
from .entropy import Entropy
from .quadratic import Quadratic
from .von_neumann import VonNeumann
from .zero import Zero

REGULARIZERS: tuple[type[Regularizer], ...] = (Zero, Quadratic, Entropy, VonNeumann)

__all__ = ["REGULARIZERS", "Entropy", "Quadratic", "QuadraticForm", "Regularizer", "VonNeumann", "Zero"]
