"""Lambda: the dual sets, one per file."""

from .ball import Ball
from .base import (
    DualSet,
    HasBarrier,
    HasProjection,
    HasProximalResponse,
    HasSmoothProjection,
    HasSmoothSupport,
    HasSmoothTilt,
    HasTilt,
    Polyhedral,
)
from .box import Box
from .capped_simplex import CappedSimplex
from .chi2_ball import Chi2Ball
from .contamination import Contamination
from .kl_ball import KLBall
from .linear_constraints import LinearConstraints
from .polytope import Polytope
from .product import Product
from .proximal_response import ProximalResponse, SmoothResponse
from .simplex import Simplex
from .spectrahedron import Spectrahedron
from .tv_ball import TVBall

DUAL_SETS: tuple[type[DualSet], ...] = (
    Simplex,
    CappedSimplex,
    Contamination,
    Chi2Ball,
    TVBall,
    KLBall,
    Box,
    Ball,
    Polytope,
    Product,
    Spectrahedron,
)

__all__ = [
    "DUAL_SETS",
    "Ball",
    "Box",
    "CappedSimplex",
    "Chi2Ball",
    "Contamination",
    "DualSet",
    "HasBarrier",
    "HasProjection",
    "HasProximalResponse",
    "HasSmoothProjection",
    "HasSmoothSupport",
    "HasSmoothTilt",
    "HasTilt",
    "KLBall",
    "LinearConstraints",
    "Polyhedral",
    "Polytope",
    "Product",
    "ProximalResponse",
    "Simplex",
    "SmoothResponse",
    "Spectrahedron",
    "TVBall",
]
