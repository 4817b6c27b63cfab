"""The contract of pointwise losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._validation import finite_vector
from ..errors import ProblemError
from ..losses.grouped.own_loss import OwnLoss, find_loss
from ..losses.grouped.pointwise_loss import PointwiseLoss
from . import pointwise_calls, pointwise_derivatives
from .failures import Findings
from .pointwise_sample import PointwiseSample

# Margins of typical size, up to this one.
LARGEST_MARGIN = 5.0
N_MARGINS = 60
# Responses of each kind: GroupedLinear passes two labels as -1 and 1.
RESPONSES = {
    "real": (-3.0, -0.5, 0.0, 0.4, 1.0, 7.0),
    "count": (0.0, 0.5, 1.0, 2.0, 17.0),
    "binary": (-1.0, 1.0),
}


def check_pointwise_loss(loss: Any, *, eta: Any = None, y: Any = None, seed: int = 0) -> None:
    """Check that a pointwise loss satisfies the contract of `saddleback.losses.PointwiseLoss`.

    Verified are the shapes of what ``value_and_slope`` and ``curvature`` return, that they work row by row, are
    deterministic and do not change their arguments, that they are finite, that the slope is the derivative of the value
    and the curvature that of the slope (by differences), and where they are declared ``convex``, ``bounded_below``,
    ``curvature_bound`` and ``compiled``. Where a derivative jumps, differences do not converge, and other margins are
    used.

    Parameters
    ----------
    loss : object or str
        A loss with one margin per row: your own, or one of the library.
    eta : (k,) array, optional
        Margins at which the loss must be finite; by default 60 between -5 and 5.
    y : (l,) array, optional
        Responses, each of which is combined with each margin; by default some of the kind that the loss declares.
    seed : int
        Of the random margins; the same seed checks the same things.

    Raises
    ------
    ContractError
        Lists every check that fails: at which margin and response, what was got and expected, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> from saddleback.testing import ContractError, check_pointwise_loss
    >>> class Square:
    ...     convex = bounded_below = True
    ...     def value_and_slope(self, eta, y):
    ...         return (eta - y) ** 2, 2 * (eta - y)
    ...     def curvature(self, eta, y):
    ...         return np.full(eta.shape, 1.0)
    >>> try:
    ...     check_pointwise_loss(Square())
    ... except ContractError as error:
    ...     print("[curvature]" in str(error), "expected 2" in str(error))
    True True
    """
    findings = Findings(repr(loss))
    found: list[PointwiseLoss] = []
    findings.add("protocol", _protocol(loss, found))
    findings.settle()
    with np.errstate(all="ignore"):
        s = _sample(loss, found[0], eta, y, seed)
        findings.add("shapes", pointwise_calls.shapes(s))
        # Where arguments are overwritten, or rows depend on each other, differences mean nothing.
        findings.settle()
        findings.add("pure", pointwise_calls.pure(s))
        findings.add("finite", pointwise_calls.finite(s))
        findings.settle()
        for check in (
            pointwise_calls.row_by_row,
            pointwise_derivatives.slope_of_value,
            pointwise_derivatives.curvature,
            pointwise_derivatives.convex,
            pointwise_derivatives.bounded_below,
            pointwise_derivatives.curvature_bound,
            pointwise_calls.compiled,
        ):
            findings.add(check.__name__, check(s))
        findings.settle()


def _protocol(loss: Any, found: list[PointwiseLoss]) -> Iterator[str]:
    """Functions and declarations as GroupedLinear reads them; the loss is added to ``found``."""
    try:
        known = find_loss(loss)
    except ProblemError as error:
        yield str(error)
        return
    if known.response not in RESPONSES:
        yield f"the response is {known.response!r}, with one margin per class; expected a loss with one margin per row."
    found.append(known)


def _sample(loss: Any, known: PointwiseLoss, eta: Any, y: Any, seed: int) -> PointwiseSample:
    rng = np.random.default_rng(seed)
    if eta is None:
        random = rng.uniform(-LARGEST_MARGIN, LARGEST_MARGIN, N_MARGINS - 3)
        margins = np.concatenate([[0.0, -LARGEST_MARGIN, LARGEST_MARGIN], random])
    else:
        margins = finite_vector(eta, "eta")
    responses = np.array(RESPONSES[known.response]) if y is None else finite_vector(y, "y")
    if known.response == "binary" and not np.isin(responses, (-1.0, 1.0)).all():
        raise ProblemError("y must hold -1 and 1 for a loss with response = 'binary'.")
    functions = known.functions if isinstance(known, OwnLoss) else known
    margins = np.sort(margins)
    pairs = np.array(np.meshgrid(margins, responses, indexing="ij")).reshape(2, -1)
    return PointwiseSample(functions, known, margins, responses, pairs[0].copy(), pairs[1].copy())
