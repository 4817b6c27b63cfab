"""What the functions of a pointwise loss return: shapes, purity, finite numbers, one number per row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._validation import real_array
from ..losses.grouped.own_loss import OwnLoss
from .pointwise_sample import PointwiseSample

# Rounding errors of one call against another, relative to the largest value, slope or curvature.
REPEATED = 1e-10
# A loss and its compiled form may use different formulas.
COMPILED_TOLERANCE = 1e-6
# Margins far from zero, at which values may overflow.
FAR_MARGINS = (-800.0, -40.0, 40.0, 800.0)


def shapes(s: PointwiseSample) -> Iterator[str]:
    """Arrays of real numbers of the shape of eta, for many rows and for one."""
    for n in (s.eta.size, 1):
        eta, y = s.eta[:n], s.y[:n]
        answer = s.functions.value_and_slope(eta.copy(), y.copy())
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            yield f"value_and_slope returns {type(answer).__name__}; expected the pair (values, slopes)."
            return
        parts = [("values of value_and_slope", answer[0]), ("slopes of value_and_slope", answer[1])]
        if s.loss.has_curvature:
            parts.append(("curvature", s.functions.curvature(eta.copy(), y.copy())))
        for name, part in parts:
            try:
                got = real_array(part)
            except (TypeError, ValueError) as error:
                yield f"the {name} must be real numbers ({error}). Return an array of floats."
                continue
            if got.shape != eta.shape:
                yield (
                    f"the {name} for eta of shape {eta.shape} has shape {got.shape}; expected one number per row, "
                    f"{eta.shape}. Use NumPy functions that work element by element."
                )


def pure(s: PointwiseSample) -> Iterator[str]:
    """Calls do not change their arguments, are deterministic, and do not depend on earlier calls."""
    for name, call in s.calls():
        eta, y = s.eta.copy(), s.y.copy()
        first = call(eta, y)
        for argument, now, before in (("eta", eta, s.eta), ("y", y, s.y)):
            if not np.array_equal(now, before):
                k = int(np.argmax(now != before))
                yield f"{name}(eta, y) writes into {argument}: {before[k]:.8g} became {now[k]:.8g}. Work on a copy."
        kept = [part.copy() for part in first]
        call(s.eta + 0.1, s.y.copy())
        if any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(first, kept, strict=True)):
            yield f"{name}(eta, y) overwrites the arrays that an earlier call returned. Return new arrays."
        for now, before in zip(call(s.eta.copy(), s.y.copy()), kept, strict=True):
            i = worst_difference(now, before)
            if i is not None:
                yield (
                    f"{name}(eta, y) is not deterministic: {s.where(i)} it returns {before[i]:.10g} and then "
                    f"{now[i]:.10g}. Fix the random state."
                )


def finite(s: PointwiseSample) -> Iterator[str]:
    """Finite numbers at the margins of the sample; far from zero, a finite value has a finite slope and curvature."""
    for name, call in s.calls():
        for part in call(s.eta.copy(), s.y.copy()):
            bad = np.flatnonzero(~np.isfinite(part))
            if bad.size:
                yield (
                    f"{name}(eta, y) returns {part[bad[0]]} {s.where(bad[0])}. Correct it, or pass margins eta and "
                    "responses y to this check at which the loss is defined."
                )
                break
    eta, y = (a.ravel() for a in np.meshgrid(FAR_MARGINS, s.responses))
    value, *others = (part for _, call in s.calls() for part in call(eta.copy(), y.copy()))
    for name, part in zip(("slope", "curvature"), others, strict=False):
        bad = np.flatnonzero(np.isfinite(value) & ~np.isfinite(part))
        if bad.size:
            i = bad[0]
            yield (
                f"the value at eta = {eta[i]:g}, y = {y[i]:g} is {value[i]:.6g} and the {name} is {part[i]}: an "
                "overflow on the way. Use a formula without large exponentials (scipy.special has many)."
            )


def row_by_row(s: PointwiseSample) -> Iterator[str]:
    """A row's numbers depend on its own margin and response."""
    for name, call in s.calls():
        whole = call(s.eta.copy(), s.y.copy())
        half = s.eta.size // 2
        parts = zip(
            *(call(s.eta[part].copy(), s.y[part].copy()) for part in (slice(half), slice(half, None))), strict=True
        )
        for all_rows, halves in zip(whole, parts, strict=True):
            i = worst_difference(np.concatenate(halves), all_rows)
            if i is not None:
                yield (
                    f"{name}(eta, y) depends on the other rows of the call: {s.where(i)} it is {all_rows[i]:.10g} "
                    f"among {s.eta.size} rows and {np.concatenate(halves)[i]:.10g} among half of them. Return one "
                    "number per row, without sums or means over rows."
                )


def compiled(s: PointwiseSample) -> Iterator[str]:
    """The compiled function returns what value_and_slope returns."""
    if not isinstance(s.loss, OwnLoss) or s.loss.kernel is None:
        return
    value, slopes = s.loss.compiled_pair(s.eta, s.y)
    for name, got, expected in (("value", value, s.values(s.eta)), ("slope", slopes, s.slopes(s.eta))):
        i = worst_difference(got, expected, COMPILED_TOLERANCE)
        if i is not None:
            yield (
                f"compiled(eta, y) returns another {name} than value_and_slope {s.where(i)}: {got[i]:.10g}, expected "
                f"{expected[i]:.10g}."
            )


def worst_difference(got: Any, expected: Any, tolerance: float = REPEATED) -> int | None:
    """Where two vectors differ most, if they differ by more than the share ``tolerance`` of the largest entry."""
    off = np.abs(np.asarray(got, dtype=np.float64) - np.asarray(expected, dtype=np.float64))
    i = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    return None if off[i] <= tolerance * float(np.abs(expected).max()) else i
