"""R: the regularizers, one per file."""

from .base import (
    HasBestResponse,
    HasGradient,
    HasProximalForm,
    QuadraticForm,
    Regularizer,
    StronglyConvex,
    TwiceDifferentiable,
)
from .entropy import Entropy
from .quadratic import Quadratic
from .von_neumann import VonNeumann
from .zero import Zero

REGULARIZERS: tuple[type[Regularizer], ...] = (Zero, Quadratic, Entropy, VonNeumann)

__all__ = [
    "REGULARIZERS",
    "Entropy",
    "HasBestResponse",
    "HasGradient",
    "HasProximalForm",
    "Quadratic",
    "QuadraticForm",
    "Regularizer",
    "StronglyConvex",
    "TwiceDifferentiable",
    "VonNeumann",
    "Zero",
]
