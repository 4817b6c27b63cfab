"""Values, slopes and curvatures of the pointwise losses on rows; ``..pointwise_losses`` has the formulas."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

import math

from .arguments import GIVEN, HALF_SQUARE, HUBER, LOGISTIC, POISSON, QUANTILE, SQUARED, SQUARED_HINGE, USER
from .compiling import FUSED, inlined, pasted
from .elementary import exp, log1p
from .user_loss import call_loop


@pasted(FUSED)
def set_value_and_slope(loss, options, address, eta, y, size, value, slope):
    """value[i] and slope[i] for the margins eta[i], i < size. ``loss`` is a constant: no other one is compiled."""
    if loss == LOGISTIC:
        _logistic(eta, y, size, value, slope)
    elif loss == SQUARED:
        _squared(eta, y, size, value, slope)
    elif loss == HUBER:
        _huber(options[0], eta, y, size, value, slope)
    elif loss == SQUARED_HINGE:
        _squared_hinge(eta, y, size, value, slope)
    elif loss == POISSON:
        _poisson(eta, y, size, value, slope)
    elif loss == QUANTILE:
        _quantile(options[0], options[1], eta, y, size, value, slope)
    elif loss == HALF_SQUARE:
        for i in range(size):
            value[i] = 0.5 * eta[i] * eta[i]
            slope[i] = eta[i]
    elif loss == USER:
        # Where the user's function raises, the loop ends: the rest of the block is then nan.
        for i in range(size):
            value[i] = math.nan
            slope[i] = math.nan
        call_loop(address, eta, y, size, value, slope)
    else:
        # An unknown number must not return uninitialized memory.
        for i in range(size):
            value[i] = math.nan
            slope[i] = math.nan


@pasted(FUSED)
def set_curvature(loss, options, eta, y, size, h):
    """h[i] = ell''(eta[i], y[i]), i < size; GIVEN ones are in y."""
    if loss == LOGISTIC:
        _logistic_curvature(eta, size, h)
    elif loss == SQUARED:
        for i in range(size):
            h[i] = 2.0
    elif loss == HUBER:
        for i in range(size):
            h[i] = 1.0 if abs(eta[i] - y[i]) <= options[0] else 0.0
    elif loss == SQUARED_HINGE:
        for i in range(size):
            h[i] = 2.0 if y[i] * eta[i] < 1.0 else 0.0
    elif loss == POISSON:
        for i in range(size):
            h[i] = exp(eta[i])
    elif loss == QUANTILE:
        _quantile_curvature(options[0], options[1], eta, y, size, h)
    else:
        for i in range(size):
            h[i] = y[i] if loss == GIVEN else math.nan


@inlined(FUSED)
def _logistic(eta, y, size, value, slope):
    for i in range(size):
        margin = y[i] * eta[i]
        e = exp(-abs(margin))
        value[i] = max(-margin, 0.0) + log1p(e)
        slope[i] = -y[i] * (e if margin >= 0.0 else 1.0) / (1.0 + e)


@inlined(FUSED)
def _logistic_curvature(eta, size, h):
    for i in range(size):
        e = exp(-abs(eta[i]))
        h[i] = e / ((1.0 + e) * (1.0 + e))


@inlined(FUSED)
def _squared(eta, y, size, value, slope):
    for i in range(size):
        r = eta[i] - y[i]
        value[i] = r * r
        slope[i] = 2.0 * r


@inlined(FUSED)
def _huber(delta, eta, y, size, value, slope):
    for i in range(size):
        r = eta[i] - y[i]
        clipped = min(max(r, -delta), delta)
        # r^2/2 inside, delta |r| - delta^2/2 outside; never r^2, which overflows first.
        value[i] = clipped * (r - 0.5 * clipped)
        slope[i] = clipped


@inlined(FUSED)
def _squared_hinge(eta, y, size, value, slope):
    for i in range(size):
        short = max(1.0 - y[i] * eta[i], 0.0)
        value[i] = short * short
        slope[i] = -2.0 * y[i] * short


@inlined(FUSED)
def _poisson(eta, y, size, value, slope):
    for i in range(size):
        mean = exp(eta[i])
        value[i] = mean - y[i] * eta[i]
        slope[i] = mean - y[i]


@inlined(FUSED)
def _quantile(q, smoothing, eta, y, size, value, slope):
    for i in range(size):
        r = y[i] - eta[i]
        # The maximizer of u r - smoothing u^2/2 over q - 1 <= u <= q.
        u = min(max(r / smoothing, q - 1.0), q)
        value[i] = u * (r - 0.5 * smoothing * u)
        slope[i] = -u


@inlined(FUSED)
def _quantile_curvature(q, smoothing, eta, y, size, h):
    for i in range(size):
        r = y[i] - eta[i]
        h[i] = 1.0 / smoothing if (q - 1.0) * smoothing <= r and r <= q * smoothing else 0.0


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
