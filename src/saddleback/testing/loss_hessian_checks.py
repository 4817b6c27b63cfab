"""Checks of the Hessians of single losses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Matrix, Vector
from ..capabilities import offers
from ..losses.base import HasHessian, HasLossHessians
from .failures import show
from .hessian_checks import N_HESSIAN_POINTS, asymmetry_of, compare_with_differences
from .losses_sample import LossesSample, unit_vector

# Losses whose Hessians are compared with differences at one point; of more, a random choice.
N_LOSSES = 3
# Two ways of computing the same Hessian, relative to its largest entry.
AGREEMENT = 1e-8


def loss_hessians(s: LossesSample) -> Iterator[str]:
    """Shape and symmetry, single losses by differences of the Jacobian, and sums as ``hessian`` has them."""
    if not offers(s.losses, HasLossHessians):
        return
    formula = s.losses.loss_hessians
    verified = False
    for w in s.points[:N_HESSIAN_POINTS]:
        which = s.rng.permutation(s.J)[: 2 * N_LOSSES]
        H = np.asarray(formula(w.copy(), which.copy()), dtype=np.float64)
        if H.shape != (which.size, s.d, s.d):
            yield f"loss_hessians with {which.size} numbers has shape {H.shape}; expected {(which.size, s.d, s.d)}."
            return
        for of_loss, j in zip(H[:N_LOSSES], which, strict=False):
            where = f"of loss {j} at w = {show(w)}"
            if asymmetry := asymmetry_of(of_loss):
                yield f"the Hessian {where} in loss_hessians is not symmetric: {asymmetry}."
                continue
            compared = compare_with_differences(s, w, unit_vector(s.J, int(j)), of_loss)
            verified = verified or compared.verified
            if compared.wrong is not None:
                yield f"the Hessian {where} in loss_hessians is wrong: {compared.wrong}"
        yield from _sum_differs(s, w, which, H)
    if not verified:
        yield "loss_hessians cannot be verified: finite differences of the Jacobian converge at no point."


def _sum_differs(s: LossesSample, w: Vector, which: np.ndarray, H: Matrix) -> Iterator[str]:
    """sum_j lam_j H_j is what ``hessian`` returns."""
    if not offers(s.losses, HasHessian) or getattr(s.losses, "matrix_size", None) is not None:
        return
    lam = np.zeros(s.J)
    lam[which] = s.rng.dirichlet(np.ones(which.size))
    total, expected = np.tensordot(lam[which], H, axes=1), np.asarray(s.losses.hessian(w.copy(), lam.copy()))
    off = np.abs(total - expected)
    if expected.shape == total.shape and not off.max() <= AGREEMENT * np.abs(H).max():
        i, k = np.unravel_index(int(np.argmax(off)), off.shape)
        yield (
            f"loss_hessians and hessian differ at w = {show(w)}, lam = {show(lam)}: entry ({i}, {k}) of the sum is "
            f"{total[i, k]:.8g}, that of hessian {expected[i, k]:.8g}."
        )
