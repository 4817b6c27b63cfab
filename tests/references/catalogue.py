"""Small problems with references from outside the library: closed forms, or CVXPY with Clarabel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np
from problems import (
    Convex,
    WithHessian,
    duplicated,
    enclosing_ball,
    group_logistic,
    least_squares,
    log_sum_exp,
    quadratics,
    random_quadratics,
)

import saddleback as sb

from .cvx import reference
from .published import MAXQUAD_A, MAXQUAD_B, PUBLISHED


@dataclass(frozen=True, eq=False)
class Case:
    """A problem and who says what its optimum is."""

    losses: Convex
    solve: Callable[[], tuple[float, np.ndarray]]
    regularizer: sb.Zero | sb.Quadratic | sb.Entropy
    start: np.ndarray

    @property
    def problem(self) -> sb.Problem:
        return sb.Problem(self.losses, regularizer=self.regularizer)

    @property
    def regularized(self) -> bool:
        return not isinstance(self.regularizer, sb.Zero)

    def problem_for(self, method: str) -> sb.Problem:
        """The problem, with a Hessian for the methods that need one."""
        losses = WithHessian.of(self.losses) if method in ("newton", "interior-point") else self.losses
        return sb.Problem(losses, regularizer=self.regularizer)

    @cached_property
    def optimum(self) -> tuple[float, np.ndarray]:
        return self.solve()


def _conic(losses: Convex, f: Callable[[cp.Variable], list[cp.Expression]], R=None, start=None) -> Case:
    R = sb.Zero() if R is None else R
    start = np.zeros(losses.n_params) if start is None else start
    return Case(losses, lambda: reference(f, losses.n_params, losses.n_losses, R), R, start)


def _quadratic_case(losses: Convex, R=None) -> Case:
    """Reads (H, b, c) back from the losses: exact for quadratics."""
    zero = np.zeros(losses.n_params)
    c, b = losses.evaluate(zero)
    H = np.stack([losses.evaluate(e)[1] - b for e in np.eye(losses.n_params)], axis=2)
    H = 0.5 * (H + H.transpose(0, 2, 1))
    return _conic(losses, lambda w: [0.5 * cp.quad_form(w, cp.psd_wrap(Hj)) + bj @ w + cj for Hj, bj, cj in
                                     zip(H, b, c, strict=True)], R)  # fmt: skip


def _ball() -> Case:
    solved = enclosing_ball()
    return Case(solved.losses, lambda: (solved.value, solved.w), sb.Zero(), np.zeros(3))


def _groups(seed: int, J: int, N: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((J, N, d))
    truth = rng.standard_normal((J, d, 1)) * 0.3 + rng.standard_normal(d)[:, None]
    return X, (X @ truth)[..., 0] + 0.5 * rng.standard_normal((J, N))


def _regression(R=None) -> Case:
    X, y = _groups(1, 3, 30, 4)
    return _conic(
        least_squares(X, y), lambda w: [cp.sum_squares(Xj @ w - yj) / 30 for Xj, yj in zip(X, y, strict=True)], R
    )


def _logistic(R=None) -> Case:
    X, y = _groups(2, 4, 25, 5)
    y, l2 = np.sign(y), 0.1
    return _conic(
        group_logistic(X, y, l2),
        lambda w: [
            cp.sum(cp.logistic(cp.multiply(-yj, Xj @ w))) / 25 + l2 / 2 * cp.sum_squares(w)
            for Xj, yj in zip(X, y, strict=True)
        ],
        R,
    )


def _affine_plus_quadratic() -> Case:
    rng = np.random.default_rng(3)
    J, d = 12, 4
    a = rng.standard_normal((J, d))
    return _quadratic_case(quadratics(np.broadcast_to(np.eye(d), (J, d, d)), a, rng.standard_normal(J)))


def _portfolio() -> Case:
    """Worst case over scenarios of risk less return, w'S_j w/2 - m_j'w, with (sum w - 1)^2/5 for the budget."""
    rng = np.random.default_rng(4)
    J, d = 4, 5
    F = rng.standard_normal((J, d, d)) / np.sqrt(d)
    H = F @ F.transpose(0, 2, 1) + 0.5 * np.eye(d) + 0.4 * np.ones((d, d))
    m = rng.uniform(-1.0, 2.0, (J, d))
    return _quadratic_case(quadratics(H, -m - 0.4, np.full(J, 0.2)))


def _soft_maxima(R=None) -> Case:
    rng = np.random.default_rng(5)
    J, n, d = 3, 6, 4
    A, b, l2 = rng.standard_normal((J, n, d)), rng.standard_normal((J, n)), 0.2
    return _conic(
        log_sum_exp(A, b, l2=l2),
        lambda w: [cp.log_sum_exp(Aj @ w + bj) + l2 / 2 * cp.sum_squares(w) for Aj, bj in zip(A, b, strict=True)],
        R,
    )


def _ridge() -> Case:
    X, y = _groups(6, 1, 20, 4)
    losses = least_squares(X, y, l2=0.1)

    def solve() -> tuple[float, np.ndarray]:
        w = np.linalg.solve(2 * X[0].T @ X[0] / 20 + 0.1 * np.eye(4), 2 * X[0].T @ y[0] / 20)
        return float(((X[0] @ w - y[0]) ** 2).mean() + 0.05 * w @ w), w

    return Case(losses, solve, sb.Zero(), np.zeros(4))


def _one_parameter() -> Case:
    """f_1 = (w - 1)^2, f_2 = 2 (w + 1)^2: equal at w = -3 + 2 sqrt 2, where their slopes differ in sign."""
    losses = quadratics(np.array([[[2.0]], [[4.0]]]), np.array([[-2.0], [4.0]]), np.array([1.0, 2.0]))
    w = -3 + 2 * np.sqrt(2)
    return Case(losses, lambda: ((w - 1) ** 2, np.array([w])), sb.Zero(), np.array([5.0]))


def _maxquad() -> Case:
    p = PUBLISHED["MAXQUAD"]
    losses = Convex(p.pair, 5, 10, float(2 * np.linalg.eigvalsh(MAXQUAD_A).max()))
    return _conic(
        losses,
        lambda w: [cp.quad_form(w, cp.psd_wrap(A)) - b @ w for A, b in zip(MAXQUAD_A, MAXQUAD_B, strict=True)],
        start=p.start,
    )


def _cb2() -> Case:
    p = PUBLISHED["CB2"]
    return _conic(
        Convex(p.pair, 3, 2, np.nan),
        lambda w: [
            cp.square(w[0]) + cp.power(w[1], 4),
            cp.square(2 - w[0]) + cp.square(2 - w[1]),
            2 * cp.exp(w[1] - w[0]),
        ],
        start=p.start,
    )


CASES: dict[str, Case] = {
    "enclosing ball": _ball(),
    "regression": _regression(),
    "regression, quadratic": _regression(sb.Quadratic(0.5)),
    "regression, entropy": _regression(sb.Entropy(0.2, np.array([0.5, 0.3, 0.2]))),
    "logistic": _logistic(),
    "logistic, quadratic": _logistic(sb.Quadratic(0.05, np.array([0.4, 0.3, 0.2, 0.1]))),
    "logistic, entropy": _logistic(sb.Entropy(0.05)),
    "affine plus quadratic": _affine_plus_quadratic(),
    "portfolio": _portfolio(),
    "log-sum-exp": _soft_maxima(),
    "log-sum-exp, entropy": _soft_maxima(sb.Entropy(0.3)),
    "ridge, one loss": _ridge(),
    "more losses than parameters": _quadratic_case(random_quadratics(seed=0, J=12, d=2, condition=5.0)),
    "one parameter": _one_parameter(),
    "duplicates": _quadratic_case(duplicated(random_quadratics(seed=16, J=3, d=4, condition=5.0), 3)),
    "duplicates, quadratic": _quadratic_case(
        duplicated(random_quadratics(seed=16, J=3, d=4, condition=5.0), 3), sb.Quadratic(0.4)
    ),
    "MAXQUAD": _maxquad(),
    "CB2": _cb2(),
}
