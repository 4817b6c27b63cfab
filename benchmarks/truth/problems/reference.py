"""The minimum of the largest group loss of a table, by a barrier method in orthogonal coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import linprog
from scipy.special import expit

from .table import Array, Codes, Loss, Table

# Singular values below this, relative to the largest, count as zero: the columns are dependent.
RANK = 1e-13
# The last barrier parameter; J times it is the error of the reference. Each stage divides it by SHRINK.
LAST_BARRIER = 1e-11
SHRINK = 0.1
CENTERED = 1e-14
MAX_STEPS = 500
# The accuracy of a reference; a less accurate one is rejected.
ACCURACY = 1e-8
# Hessians whose least eigenvalue is below this, in coordinates of unit columns, may belong to an infimum at infinity.
DEGENERATE = 1e-5


class ReferenceError(RuntimeError):
    """The reference did not reach its accuracy and must not be used."""


@dataclass(frozen=True, eq=False)
class Smooth:
    """f_j(z) = sum over rows i of group j of m_i ell(b_i'z, y_i) + 1/2 z'P z."""

    B: Array
    y: Array
    m: Array
    groups: Codes
    J: int
    loss: Loss
    P: Array

    def values(self, z: Array) -> Array:
        eta = self.B @ z
        with np.errstate(over="ignore"):
            ell = np.logaddexp(0.0, -self.y * eta) if self.loss == "logistic" else (eta - self.y) ** 2
        f: Array = np.bincount(self.groups, self.m * ell, self.J).astype(np.float64)
        return f + 0.5 * float(z @ self.P @ z)

    def jacobian(self, z: Array) -> Array:
        eta = self.B @ z
        slope = -self.y * expit(-self.y * eta) if self.loss == "logistic" else 2.0 * (eta - self.y)
        weights = np.zeros((self.J, len(eta)))
        weights[self.groups, np.arange(len(eta))] = self.m * slope
        G: Array = weights @ self.B + self.P @ z
        return G

    def hessian(self, z: Array, lam: Array) -> Array:
        eta = self.B @ z
        bend = expit(eta) * expit(-eta) if self.loss == "logistic" else np.full(len(eta), 2.0)
        H: Array = (self.B.T * (lam[self.groups] * self.m * bend)) @ self.B
        return H + lam.sum() * self.P


def least_worst_loss(table: Table) -> float:
    """inf over w of max_j f_j(w), to about 1e-9; the infimum may be at infinity."""
    smooth = _smooth(table)
    try:
        value, z, lam = _minimize(smooth)
        if table.loss == "squared" or table.l2 > 0 or _least_eigenvalue(smooth.hessian(z, lam)) > DEGENERATE:
            return value
    except ReferenceError:
        if table.loss == "squared" or table.l2 > 0:
            raise
    away = _separable_rows(smooth)
    if away.all():
        return 0.0
    # Rows that a direction of recession classifies correctly have zero loss in the limit; the remaining rows
    # have a minimum.
    kept = replace(smooth, B=smooth.B[~away], y=smooth.y[~away], m=smooth.m[~away], groups=smooth.groups[~away])
    return _minimize(_compressed(kept))[0]


def _smooth(table: Table) -> Smooth:
    D = table.design
    counts = np.bincount(table.groups)
    m = 1.0 / counts[table.groups]
    scale = np.sqrt((D * D).mean(axis=0))
    scale[scale == 0.0] = 1.0
    B = D / scale
    penalty = np.full(D.shape[1], table.l2)
    penalty[table.X.shape[1] :] = 0.0
    smooth = Smooth(B, table.y, m, table.groups, len(counts), table.loss, np.diag(penalty / scale**2))
    return smooth if table.l2 > 0 else _compressed(smooth)


def _compressed(smooth: Smooth) -> Smooth:
    """The same losses without penalty, on orthogonal columns of unit mean square; their number is the rank."""
    U, s, _ = np.linalg.svd(smooth.B, full_matrices=False)
    U = U[:, s > RANK * max(s[0], 1e-300)] if s.size else U
    B = np.ascontiguousarray(U) * np.sqrt(len(U))
    r = B.shape[1]
    return Smooth(B, smooth.y, smooth.m, smooth.groups, smooth.J, smooth.loss, np.zeros((r, r)))


def _minimize(smooth: Smooth) -> tuple[float, Array, Array]:
    """min of t - mu sum_j log(t - f_j(z)) for mu to 0: on the central path lam_j = mu/(t - f_j) and the gap is J mu."""
    z = np.zeros(smooth.B.shape[1])
    f = smooth.values(z)
    mu = max(1.0, float(np.abs(f).max()))
    t = float(f.max()) + mu
    steps = 0
    while True:
        for _ in range(MAX_STEPS):
            z, t, decrement = _newton_step(smooth, z, t, mu)
            steps += 1
            if decrement <= CENTERED * max(1.0, mu) or decrement <= 1e-3 * mu:
                break
        else:
            raise ReferenceError(f"the barrier problem at mu = {mu:.1g} was not solved")
        if mu <= LAST_BARRIER:
            break
        mu = max(LAST_BARRIER, SHRINK * mu)
    f = smooth.values(z)
    value, lam = float(f.max()), mu / (t - f)
    if value - (t - smooth.J * mu) > ACCURACY * max(1.0, abs(value)):
        raise ReferenceError(f"the reference is only known to {value - t + smooth.J * mu:.1g}")
    return value, z, lam / lam.sum()


def _newton_step(smooth: Smooth, z: Array, t: float, mu: float) -> tuple[Array, float, float]:
    """One damped step, and the decrement -<gradient, step>, twice the predicted decrease."""
    f, G = smooth.values(z), smooth.jacobian(z)
    s = t - f
    lam = mu / s
    E = np.column_stack([-G, np.ones(smooth.J)])
    gradient = -(lam @ E)
    gradient[-1] += 1.0
    H = (E.T * (lam / s)) @ E
    H[:-1, :-1] += smooth.hessian(z, lam)
    step = -_solve(H, gradient)
    decrement = -float(gradient @ step)
    barrier = t - mu * float(np.log(s).sum())
    length = 1.0
    for _ in range(60):
        z_new, t_new = z + length * step[:-1], t + length * float(step[-1])
        slack = t_new - smooth.values(z_new)
        if slack.min() > 0:
            new = t_new - mu * float(np.log(slack).sum())
            # Near the end differences of values are rounding errors: take the full step.
            if new <= barrier - 0.1 * length * decrement + 1e-15 * abs(barrier):
                return z_new, t_new, decrement
        length *= 0.5
    return z, t, 0.0 if decrement < ACCURACY * max(1.0, abs(t)) * 0.1 else decrement


def _solve(H: Array, b: Array) -> Array:
    """H^-1 b for H that is positive definite up to rounding, scaled to a unit diagonal first."""
    scale = 1.0 / np.sqrt(np.maximum(H.diagonal(), 1e-300))
    S = H * scale[:, None] * scale
    ridge = 1e-15
    while ridge < 1.0:
        try:
            x: Array = scale * cho_solve(cho_factor(S + ridge * np.eye(len(b))), scale * b)
            return x
        except LinAlgError:
            ridge *= 10.0
    raise ReferenceError("a Newton system could not be solved")


def _least_eigenvalue(H: Array) -> float:
    return float(np.linalg.eigvalsh(H)[0]) if len(H) else np.inf


def _separable_rows(smooth: Smooth) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The rows that some v with y_i b_i'v >= 0 for all i puts strictly on their side, by one linear program.

    max sum s_i over 0 <= s_i <= 1, y_i b_i'v >= s_i: as v may be long, every s_i is 0 or 1 at the optimum.
    """
    n, r = smooth.B.shape
    signed = smooth.y[:, None] * smooth.B
    answer = linprog(
        np.append(np.zeros(r), -np.ones(n)),
        A_ub=np.column_stack([-signed, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * r + [(0.0, 1.0)] * n,
        method="highs",
    )
    if answer.status != 0:
        raise ReferenceError(f"the linear program for separable rows: {answer.message}")
    apart = answer.x[r:] > 0.5
    return np.asarray(apart, dtype=np.bool_)
