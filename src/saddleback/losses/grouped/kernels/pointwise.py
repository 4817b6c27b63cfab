"""Values, slopes and curvatures of the pointwise losses on rows; ``..pointwise_losses`` has the formulas."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg,var-annotated"

from __future__ import annotations

import math

from numba.extending import overload

from .arguments import GIVEN, HALF_SQUARE, HUBER, LOGISTIC, POISSON, QUANTILE, SQUARED, SQUARED_HINGE, USER
from .compiling import FUSED, inlined, options
from .elementary import exp
from .logistic import set_logistic
from .user_loss import call_loop


def set_value_and_slope(loss, options, address, eta, y, size, value, slope):
    """value[i] and slope[i] for the margins eta[i], i < size; the version for a ``loss`` is chosen at compile time."""
    raise NotImplementedError


def set_curvature(loss, options, eta, y, size, h):
    """h[i] = ell''(eta[i], y[i]), i < size; GIVEN ones are in y. The version is chosen at compile time."""
    raise NotImplementedError


@overload(set_value_and_slope, jit_options=options(FUSED), prefer_literal=True)
def _choose_value_and_slope(loss, options, address, eta, y, size, value, slope):
    return VALUE_AND_SLOPE.get(loss.literal_value, _no_value)


@overload(set_curvature, jit_options=options(FUSED), prefer_literal=True)
def _choose_curvature(loss, options, eta, y, size, h):
    return CURVATURE.get(loss.literal_value, _no_curvature)


def _logistic(loss, options, address, eta, y, size, value, slope):
    set_logistic(eta, y, size, value, slope)


def _logistic_curvature(loss, options, eta, y, size, h):
    for i in range(size):
        e = exp(-abs(eta[i]))
        h[i] = e / ((1.0 + e) * (1.0 + e))


def _squared(loss, options, address, eta, y, size, value, slope):
    for i in range(size):
        r = eta[i] - y[i]
        value[i] = r * r
        slope[i] = 2.0 * r


def _squared_curvature(loss, options, eta, y, size, h):
    for i in range(size):
        h[i] = 2.0


def _huber(loss, options, address, eta, y, size, value, slope):
    delta = options[0]
    for i in range(size):
        r = eta[i] - y[i]
        clipped = min(max(r, -delta), delta)
        # r^2/2 inside, delta |r| - delta^2/2 outside; never r^2, which overflows first.
        value[i] = clipped * (r - 0.5 * clipped)
        slope[i] = clipped


def _huber_curvature(loss, options, eta, y, size, h):
    for i in range(size):
        h[i] = 1.0 if abs(eta[i] - y[i]) <= options[0] else 0.0


def _squared_hinge(loss, options, address, eta, y, size, value, slope):
    for i in range(size):
        short = max(1.0 - y[i] * eta[i], 0.0)
        value[i] = short * short
        slope[i] = -2.0 * y[i] * short


def _squared_hinge_curvature(loss, options, eta, y, size, h):
    for i in range(size):
        h[i] = 2.0 if y[i] * eta[i] < 1.0 else 0.0


def _poisson(loss, options, address, eta, y, size, value, slope):
    for i in range(size):
        mean = exp(eta[i])
        value[i] = mean - y[i] * eta[i]
        slope[i] = mean - y[i]


def _poisson_curvature(loss, options, eta, y, size, h):
    for i in range(size):
        h[i] = exp(eta[i])


def _quantile(loss, options, address, eta, y, size, value, slope):
    q, smoothing = options
    for i in range(size):
        r = y[i] - eta[i]
        # The maximizer of u r - smoothing u^2/2 over q - 1 <= u <= q.
        u = min(max(r / smoothing, q - 1.0), q)
        value[i] = u * (r - 0.5 * smoothing * u)
        slope[i] = -u


def _quantile_curvature(loss, options, eta, y, size, h):
    q, smoothing = options
    for i in range(size):
        r = y[i] - eta[i]
        h[i] = 1.0 / smoothing if (q - 1.0) * smoothing <= r and r <= q * smoothing else 0.0


def _half_square(loss, options, address, eta, y, size, value, slope):
    for i in range(size):
        value[i] = 0.5 * eta[i] * eta[i]
        slope[i] = eta[i]


def _of_user(loss, options, address, eta, y, size, value, slope):
    # Where the user's function raises, the loop ends: the rest of the block is then nan.
    for i in range(size):
        value[i] = math.nan
        slope[i] = math.nan
    call_loop(address, eta, y, size, value, slope)


def _given_curvature(loss, options, eta, y, size, h):
    for i in range(size):
        h[i] = y[i]


def _no_value(loss, options, address, eta, y, size, value, slope):
    # An unknown number must not return uninitialized memory.
    for i in range(size):
        value[i] = math.nan
        slope[i] = math.nan


def _no_curvature(loss, options, eta, y, size, h):
    for i in range(size):
        h[i] = math.nan


VALUE_AND_SLOPE = {
    LOGISTIC: _logistic,
    SQUARED: _squared,
    HUBER: _huber,
    SQUARED_HINGE: _squared_hinge,
    POISSON: _poisson,
    QUANTILE: _quantile,
    HALF_SQUARE: _half_square,
    USER: _of_user,
}
CURVATURE = {
    LOGISTIC: _logistic_curvature,
    SQUARED: _squared_curvature,
    HUBER: _huber_curvature,
    SQUARED_HINGE: _squared_hinge_curvature,
    POISSON: _poisson_curvature,
    QUANTILE: _quantile_curvature,
    GIVEN: _given_curvature,
}


@inlined(FUSED)
def softmax(eta, y, size, value, slope):
    """log sum exp eta - eta_y and p - e_y; ``slope`` holds exp(eta - max) on the way."""
    n_classes = eta.shape[0]
    for i in range(size):
        largest = eta[0, i]
        for c in range(1, n_classes):
            largest = max(largest, eta[c, i])
        value[i] = largest
    for c in range(n_classes):
        for i in range(size):
            slope[c, i] = exp(eta[c, i] - value[i])
    for i in range(size):
        own = int(y[i])
        top = 0
        total = 0.0
        for c in range(n_classes):
            total += slope[c, i]
            if eta[c, i] == value[i]:
                top = c
        others = 0.0
        rest = 0.0
        for c in range(n_classes):
            if c != top:
                rest += slope[c, i]
            if c != own:
                others += slope[c, i]
        value[i] = math.log1p(rest) + (value[i] - eta[own, i])
        for c in range(n_classes):
            slope[c, i] /= total
        # p_y - 1 without the cancellation where p_y is close to 1.
        slope[own, i] = -others / total
