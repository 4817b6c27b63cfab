"""Lagrange multipliers of a ball {sum_j p_j phi(v_j) <= rho} of distributions p (1 + v), by monotone roots."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.special import wrightomega

from .._types import EPS, Vector
from .proximal_response import SmoothResponse, balanced_response, response_on_sphere

T = TypeVar("T")

# Newton steps need about five, bisections by magnitude about 60; the limit only guards against rounding errors.
MAX_STEPS = 200
# Residuals are relative to the sum of their terms. Up to RESIDUAL they are rounding errors; up to STAGNANT they are
# rounding errors if a Newton step does not halve them.
RESIDUAL, STAGNANT = 8 * EPS, 1e-11


def increasing_root(
    f: Callable[[float], tuple[float, float, T]], x: float, lower: float, upper: float
) -> tuple[float, T]:
    """The root of an increasing function in [lower, upper], from x, by Newton steps kept in a bracket.

    ``f(x)`` returns the value, the slope, and an object that is returned with the root. An infinite ``upper`` requires
    ``lower`` >= 0.
    """
    value, slope, kept = f(x)
    by_newton = True
    for _ in range(MAX_STEPS):
        if abs(value) <= RESIDUAL:
            break
        if value < 0:
            lower = x
        else:
            upper = x
        step = x - value / slope if slope > 0 else np.nan
        if abs(step - x) <= EPS * abs(x):
            break
        by_newton = by_newton and lower < step < upper
        step = step if by_newton else _bisection(lower, upper)
        if abs(step - x) <= EPS * abs(x):
            break
        next_value, next_slope, next_kept = f(step)
        # After a Newton step that does not halve the residual: stop at rounding, else bisect.
        slow = by_newton and abs(next_value) > 0.5 * abs(value)
        if slow and abs(value) <= STAGNANT:
            return (x, kept) if abs(value) <= abs(next_value) else (step, next_kept)
        by_newton = not slow
        x, value, slope, kept = step, next_value, next_slope, next_kept
    return x, kept


def _bisection(lower: float, upper: float) -> float:
    """The geometric mean of positive bounds, so that roots of any magnitude take few steps; else the arithmetic one."""
    if upper == np.inf:
        return 4.0 * lower
    if lower == 0.0:
        return upper / 16.0
    if lower > 0.0 and upper > 4.0 * lower:
        return float(np.sqrt(lower) * np.sqrt(upper))
    return 0.5 * (lower + upper)


class Response(NamedTuple):
    """The maximizer for given multipliers, and its derivatives."""

    v: Vector
    """lam / p - 1, without cancellation."""
    ratio: Vector
    """lam / p, without cancellation."""
    phi_slope: Vector
    """phi'(v)."""
    slope: Vector
    """dv/dk."""


class Conditions(NamedTuple):
    """a_j(v_j) + mu phi'(v_j) = k_j + tau, sum p v = 0 and sum p phi(v) = rho, for lam = p (1 + v)."""

    p: Vector
    rho: float
    phi: Callable[[Vector], Vector]
    respond: Callable[[float, Vector], Response]
    """v and its derivatives, from mu and k + tau."""
    upper: float
    """A bound of mu."""


def best_in_ball(conditions: Conditions, k: Vector, start: float) -> SmoothResponse:
    """The lam that satisfies the conditions, from mu = ``start``, and its derivative in k.

    lam moves by p dv/dk times k, less its projection on the span of 1 and phi'(v): the sum and the divergence stay.

    They are the optimality conditions of a concave, separable objective with gradient k - a(v) on the ball, where its
    constraint is active. As dv/dk >= 0, the sum of p v increases with tau. At its root
    d/dmu sum p phi(v) = - sum p (dv/dk) (phi' - mean phi')^2 <= 0, so that mu is a root of a monotone function as
    well: of sqrt(rho / divergence) - 1, which is nearly linear in mu (the secular equation of More and Sorensen 1983).
    Cost: about 5 times 3 calls of ``respond``.
    """
    # Entries relative to the largest one, whose rounding errors matter for every rho. Where most of the mass is on much
    # smaller entries, solve again with entries relative to those.
    k = k - k.max()
    p = conditions.p
    if k.min() == 0.0:
        return balanced_response(p.copy(), p)
    mu, tau, best = _solve(conditions, k, start, -float(p.dot(k)))
    lam = p * best.ratio
    if abs(lam.sum() - 1.0) > 2 * RESIDUAL:
        origin = float(k[np.abs(k + tau).argmin()])
        best = _solve(conditions, k - origin, mu, tau + origin)[2]
        lam = p * best.ratio
    return response_on_sphere(lam, p * best.slope, best.phi_slope)


def _solve(conditions: Conditions, k: Vector, mu: float, tau: float) -> tuple[float, float, Response]:
    """mu, tau and the response to them, from the given multipliers."""
    p, rho, phi, respond, upper = conditions
    lowest, highest = -float(k.max()), -float(k.min())
    mu_seen, rate = mu, 0.0

    def excess(mu: float) -> tuple[float, float, Response]:
        nonlocal mu_seen, tau, rate
        guess = min(max(tau + rate * (mu - mu_seen), lowest), highest)
        tau, response = increasing_root(lambda tau: _total(p, respond(mu, k + tau)), guess, lowest, highest)
        weights = p * response.slope
        rate = float(weights.dot(response.phi_slope) / weights.sum())
        mu_seen = mu
        divergence = float(p.dot(phi(response.v)))
        if divergence == 0.0:
            return np.inf, np.nan, response
        root = np.sqrt(rho / divergence)
        fall = float(weights.dot((response.phi_slope - rate) ** 2))
        return float(root - 1.0), float(0.5 * root * fall / divergence), response

    mu, best = increasing_root(excess, mu, 0.0, upper)
    return mu, tau, best


def deviation(p: Vector, k: Vector) -> float:
    """The standard deviation of k under p; exactly zero where all entries of k are equal."""
    x = k - k.max()
    spread = -float(x.min())
    if spread == 0.0:
        return 0.0
    x /= spread
    return spread * float(np.sqrt(p.dot((x - p.dot(x)) ** 2)))


def _total(p: Vector, response: Response) -> tuple[float, float, Response]:
    """sum p v and its slope in tau, relative to the sum of its absolute terms."""
    terms = p * response.v
    magnitude = float(np.abs(terms).sum())
    if magnitude == 0.0:
        return 0.0, 0.0, response
    return float(terms.sum()) / magnitude, float(p.dot(response.slope)) / magnitude, response


def log_linear(a: Vector | float, k: Vector) -> tuple[Vector, Vector]:
    """v > -1 with a v + log(1 + v) = k, and 1 + v, for a > 0: y = a (1 + v) has y + log y = k + a + log a."""
    ratio = wrightomega(k + a + np.log(a)) / a
    v = ratio - 1.0
    # One Newton step corrects the digits that cancel in the difference.
    near = np.abs(v) < 0.5
    small = np.where(near, v, 0.0)
    small = small - (a * small + np.log1p(small) - k) / (a + 1.0 / (1.0 + small))
    return np.where(near, small, v), np.where(near, 1.0 + small, ratio)
