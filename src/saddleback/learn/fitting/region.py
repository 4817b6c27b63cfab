"""Where the bound of a fit holds, in words."""

from __future__ import annotations

import numpy as np

from ..._types import Vector

EVERYWHERE = "everywhere"


def region_of(reach: Vector, l2: float) -> str:
    """The region with these semi-axes, one per parameter of standardized columns.

    With a penalty the bound holds for all coefficients: parameters with a finite reach are intercepts.
    """
    near = reach[np.isfinite(reach)]
    if near.size == 0:
        return EVERYWHERE
    least, most = f"{near.min():.3g}", f"{near.max():.3g}"
    within = f"within {least}" if least == most else f"within {least} to {most}"
    if near.size == reach.size:
        return f"for parameters, in standardized units, {within} of those found"
    if l2 > 0.0:
        return f"for intercepts {within} of {'the one' if near.size == 1 else 'those'} found"
    return f"for {near.size} of {reach.size} parameters {within} of those found"


def among(reach: Vector, l2: float) -> str:
    """The region as the end of a sentence that says what no model does; nothing where this is said of all models."""
    region = region_of(reach, l2)
    return "" if region == EVERYWHERE else f" {region}"
