"""The contract of losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._validation import finite_vector, real_array
from ..capabilities import offers
from ..dual_sets import DualSet, Simplex
from ..losses import Losses
from ..losses.base import HasParameterScales, HasValues
from . import hessian_checks
from .failures import Findings, show
from .jacobian_checks import jacobian
from .loss_hessian_checks import loss_hessians
from .losses_sample import LossesSample

# Losses computed twice; with and without their gradients.
REPEATED = 1e-10


def check_losses(
    losses: Losses, w: Any = None, *, dual_set: DualSet | None = None, seed: int = 0, n_points: int = 5
) -> None:
    """Check that losses satisfy the contract of `saddleback.Losses`.

    Verified are shapes, that ``evaluate`` is deterministic and does not change its argument, the Jacobian (by
    differences of the losses), convexity for all weights in the dual set, and where they are offered ``values``,
    ``hessian``, ``loss_hessians``, ``sampled_hessian``, ``smoothness``, ``strong_convexity`` and ``parameter_scales``.
    Where second derivatives jump, differences do not converge, and other directions are used.

    Parameters
    ----------
    losses : Losses
        Any object that satisfies the protocol.
    w : (d,) array, optional
        A point where the losses are finite; zeros unless given. Other points are drawn around it.
    dual_set : DualSet, optional
        The weights lam for which <lam, f> must be convex; `Simplex`, or `Spectrahedron` for losses with an attribute
        ``matrix_size``, unless given.
    seed : int
        Of the random points and directions; the same seed checks the same things.
    n_points : int
        Points at which everything is checked, w among them.

    Raises
    ------
    ContractError
        Lists every check that fails: which loss is wrong, where, in which direction, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> check_losses(sb.from_functions(lambda w: ([w @ w, w.sum()], [2 * w, np.ones(2)]), np.zeros(2), jac=True))
    """
    with np.errstate(all="ignore"):
        findings = Findings(repr(losses))
        findings.add("protocol", _sizes(losses))
        findings.settle()
        w = np.zeros(losses.n_params) if w is None else finite_vector(w, "w", losses.n_params)
        findings.add("protocol", _shapes(losses, w))
        findings.settle()
        if dual_set is None:
            dual_set = _default_set(losses)
        dual_set.validate(losses.n_losses)
        findings.add("evaluate", _pure(losses, w))
        # Differences are meaningless where arguments are overwritten or calls do not repeat.
        findings.settle()
        s = LossesSample.of(losses, dual_set, w, seed, n_points)
        for check in (
            _values,
            _parameter_scales,
            jacobian,
            hessian_checks.hessian,
            loss_hessians,
            hessian_checks.sampled_hessian,
            hessian_checks.convex,
            hessian_checks.strong_convexity,
            hessian_checks.smoothness,
        ):
            findings.add(check.__name__.strip("_"), check(s))
        findings.settle()


def _default_set(losses: Losses) -> DualSet:
    if getattr(losses, "matrix_size", None) is None:
        return Simplex()
    from ..dual_sets import Spectrahedron

    return Spectrahedron()


def _sizes(losses: Losses) -> Iterator[str]:
    for name in ("n_losses", "n_params"):
        size = getattr(losses, name, None)
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            yield f"{name} is {size!r}; expected a positive whole number."
    if not callable(getattr(losses, "evaluate", None)):
        yield "there is no method evaluate(w) -> (values, jacobian)."


def _shapes(losses: Losses, w: np.ndarray) -> Iterator[str]:
    J, d = losses.n_losses, losses.n_params
    answer = losses.evaluate(w.copy())
    if not isinstance(answer, tuple) or len(answer) != 2:
        yield f"evaluate(w) returns {type(answer).__name__}; expected the pair (values, jacobian)."
        return
    for name, part, shape in (("values", answer[0], (J,)), ("Jacobian", answer[1], (J, d))):
        try:
            got = real_array(part)
        except (TypeError, ValueError) as error:
            yield f"the {name} that evaluate(w) returns must be numbers ({error}). Return an array of floats."
            continue
        if got.shape != shape:
            hint = " It is transposed: return one row per loss." if got.shape == shape[::-1] != shape else ""
            yield f"the {name} that evaluate(w) returns has shape {got.shape}; expected {shape}.{hint}"
        elif not np.isfinite(got).all():
            j = int(np.argwhere(~np.isfinite(got))[0][0])
            yield (
                f"the {name} that evaluate(w) returns is not finite at w = {show(w)}, for loss {j}. Correct it, or "
                "pass a w where the losses are finite."
            )


def _pure(losses: Losses, w: np.ndarray) -> Iterator[str]:
    """Calls do not change their arguments, are deterministic, and do not overwrite earlier results."""
    other = w + 0.01 * max(1.0, float(np.abs(w).max()))
    for point in (w, other):
        for name in ("evaluate", "values"):
            if name == "values" and not offers(losses, HasValues):
                continue
            call = getattr(losses, name)
            argument = point.copy()
            call(argument)
            if not np.array_equal(argument, point):
                i = int(np.argmax(np.abs(argument - point)))
                yield (
                    f"{name}(w) writes into w: coordinate {i} of w = {show(point)} became {argument[i]:.8g}. Work on a "
                    "copy."
                )
    f, G = (np.asarray(part) for part in losses.evaluate(w.copy()))
    kept = f.copy(), G.copy()
    losses.evaluate(other.copy())
    for name, now, before in (("values", f, kept[0]), ("Jacobian", G, kept[1])):
        if not np.array_equal(now, before):
            yield f"evaluate(w) overwrites the {name} that an earlier call returned. Return new arrays."
    again = losses.evaluate(w.copy())
    for name, now, before in (("values", again[0], kept[0]), ("Jacobian", again[1], kept[1])):
        change = np.abs(np.asarray(now) - before)
        if not change.max() <= REPEATED * np.abs(before).max():
            yield (
                f"evaluate(w) is not deterministic: at w = {show(w)} its {name} changes by {change.max():.3g} from "
                "call to call. Fix the random state."
            )


def _parameter_scales(s: LossesSample) -> Iterator[str]:
    """One positive number per parameter."""
    if not offers(s.losses, HasParameterScales):
        return
    scales = np.asarray(s.losses.parameter_scales(), dtype=np.float64)
    if scales.shape != (s.d,):
        yield f"parameter_scales() has shape {scales.shape}; expected {(s.d,)}."
    elif not ((scales > 0) & np.isfinite(scales)).all():
        i = int(np.flatnonzero(~((scales > 0) & np.isfinite(scales)))[0])
        yield f"parameter_scales()[{i}] is {scales[i]:g}; expected a finite number > 0, the typical size of w[{i}]."


def _values(s: LossesSample) -> Iterator[str]:
    """values(w) is the first part of evaluate(w)."""
    for w in s.points:
        f = np.asarray(s.losses.evaluate(w.copy())[0], dtype=np.float64)
        alone = s.values(w)
        if alone.shape != f.shape:
            yield f"values(w) has shape {alone.shape}; expected {f.shape}."
            return
        off = np.abs(alone - f)
        j = int(np.argmax(off))
        if not off[j] <= (REPEATED + s.precision) * np.abs(f).max() + s.noise[j]:
            yield f"values(w) differs from evaluate(w) in loss {j} at w = {show(w)}: {alone[j]:.10g}, not {f[j]:.10g}."
