"""Losses from plain functions, in the shape of scipy.optimize.minimize."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .._types import Matrix, Vector
from .._validation import finite_vector, flag, real_array, symmetric
from ..errors import IncompatibleError, ProblemError, warn_user
from .arguments import checked_args, with_args
from .base import HasHessian, HasJacobianError, Losses
from .differences import Differences, check_jacobian

Function = Callable[..., Any]
"""A user's function of w and of the extra arguments ``args``; a Hessian takes lam after w."""

NO_HESS = "no hess was given"
FLOATS = (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.float16))


@dataclass(frozen=True, eq=False)
class FunctionLosses:
    """fun(w) -> (J,) with jac(w) -> (J, d), which may be `Differences` of fun, and where given hess(w, lam)."""

    fun: Function
    jac: Function
    n_losses: int
    n_params: int
    hess: Function | None = None
    jac_is_checked: bool = False

    def lacks(self, capability: type) -> str | None:
        if capability is HasJacobianError and self.exact_jacobian:
            return "jac was given, and is taken to be exact"
        return NO_HESS if capability is HasHessian and self.hess is None else None

    @property
    def exact_jacobian(self) -> bool:
        """Whether the Jacobian was given, and is not computed by finite differences."""
        return not isinstance(self.jac, Differences)

    @property
    def values_first(self) -> bool:
        """True: the losses and then their Jacobian at the same point cost no more than both at once."""
        return True

    def values(self, w: Vector) -> Vector:
        return _as_values(self.fun(w), self.n_losses)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        return _as_values(self.fun(w), self.n_losses), _as_jacobian(self.jac(w.copy()), self.n_losses, self.n_params)

    def jacobian_error(self, w: Vector) -> Matrix | None:
        """A bound on the errors of a Jacobian by differences; None for one that was given."""
        return self.jac.error(w) if isinstance(self.jac, Differences) else None

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        return _hessian(self.hess, w, lam, self.n_losses)


@dataclass(frozen=True, eq=False)
class PairLosses:
    """fun(w) -> ((J,), (J, d)) with losses and Jacobian in one call, so that values alone are no cheaper."""

    fun: Function
    n_losses: int
    n_params: int
    hess: Function | None = None
    jac_is_checked: bool = False
    exact_jacobian: ClassVar[bool] = True

    def lacks(self, capability: type) -> str | None:
        return NO_HESS if capability is HasHessian and self.hess is None else None

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        f, G = _pair(self.fun(w))
        return _as_values(f, self.n_losses), _as_jacobian(G, self.n_losses, self.n_params)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        return _hessian(self.hess, w, lam, self.n_losses)


def from_functions(
    fun: Function,
    w0: Any,
    jac: Function | bool | None = None,
    *,
    hess: Function | None = None,
    args: Any = (),
    check_jac: bool = False,
) -> FunctionLosses | PairLosses:
    """The losses of ``fun``. Their number is that of one call at w0, whose result is kept for the first evaluation.

    Parameters
    ----------
    fun : callable
        ``fun(w) -> (J,)``, or ``fun(w) -> ((J,), (J, d))`` with ``jac=True``.
    w0 : (d,) array
        Where fun is called once to learn J.
    jac : callable, True or None
        ``jac(w) -> (J, d)``; None takes central differences (2 d more calls per Jacobian) and warns once.
    hess : callable, optional
        ``hess(w, lam) -> (d, d)``: sum_j lam_j Hessian f_j(w), dense or sparse, for ``method="newton"`` and "auto".
    args : tuple
        Extra arguments for fun, jac and hess, after w (and lam); anything else is taken as a tuple of one argument.
    check_jac : bool
        Compare the Jacobian at w0 with central differences and name the row that is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> losses = from_functions(lambda w: ([w @ w, w @ w + w[0]], [2 * w, 2 * w + [1, 0]]), np.zeros(2), jac=True)
    >>> losses.n_losses, losses.n_params
    (2, 2)
    """
    if not callable(fun):
        several = isinstance(fun, list | tuple) and len(fun) > 0 and all(map(callable, fun))
        remedy = " of functions. Make one of them: lambda w: [f(w) for f in fs]" if several else ""
        raise ProblemError(f"fun must be callable; got {type(fun).__name__}{remedy}.")
    if not (isinstance(jac, bool) or jac is None or callable(jac)):
        raise ProblemError(f"jac must be a callable, True or None; got {jac!r}.")
    if not (hess is None or callable(hess)):
        raise ProblemError(f"hess must be a callable hess(w, lam) -> (d, d), or None; got {hess!r}.")
    args = checked_args(args)
    check_jac = flag(check_jac, "check_jac")
    w0 = finite_vector(w0, "w0")
    fun, jac, hess = (with_args(function, args) for function in (fun, jac, hess))
    fun = _LastCall(fun)
    f = _as_array(_pair(fun(w0))[0] if jac is True else fun(w0), "fun")
    if f.ndim != 1 or f.size == 0:
        raise ProblemError(f"fun must return a non-empty vector of losses (J,); got shape {f.shape} at w0.")
    if not np.isfinite(f).all():
        j = int(np.flatnonzero(~np.isfinite(f))[0])
        raise ProblemError(f"fun must be finite at w0; got {f[j]} for loss {j}. Start where every loss is defined.")
    if not (jac is True or callable(jac)):
        if check_jac:
            raise ProblemError("check_jac=True has no jac to check; pass jac, or leave check_jac out.")
        warn_user(
            f"no jac: taking central differences, {2 * w0.size} extra calls of fun per Jacobian; the certificate holds "
            "only up to their errors. Pass jac for speed and rigor"
        )
        jac = Differences(lambda w: _as_values(fun(w), f.size), w0)
    sizes = f.size, w0.size
    checked: dict[str, Any] = {"hess": hess, "jac_is_checked": check_jac}
    losses = PairLosses(fun, *sizes, **checked) if jac is True else FunctionLosses(fun, jac, *sizes, **checked)
    if check_jac:
        check_jacobian(losses, w0)
    return losses


def advice_where_stalled(losses: Losses) -> str:
    """The end of a stalled run's message, where a Jacobian was given and not compared with differences."""
    if not isinstance(losses, PairLosses | FunctionLosses) or losses.jac_is_checked or not losses.exact_jacobian:
        return ""
    return "; check_jac=True tells whether jac is right"


class _LastCall:
    """fun with a cache of one result: the first evaluation of a run reuses the call that determined J."""

    def __init__(self, fun: Function) -> None:
        self._fun = fun
        self._last: tuple[bytes, Any] | None = None

    def __call__(self, w: Vector) -> Any:
        last, key = self._last, w.tobytes()
        if last is None or last[0] != key:
            # A copy: fun may write into its argument, which is an iterate.
            last = self._last = (key, self._fun(w.copy()))
        return last[1]


def _pair(result: Any) -> tuple[Any, Any]:
    try:
        f, G = result
    except (TypeError, ValueError):
        raise ProblemError("with jac=True, fun must return the pair (losses, jacobian).") from None
    return f, G


def _as_array(x: Any, name: str) -> NDArray[Any]:
    if type(x) is np.ndarray and x.dtype in FLOATS and x.ndim:
        return x.copy()
    try:
        array = real_array(x)
        # float32 is kept, because it shows the precision of the losses. A copy, because fun may reuse its arrays.
        array = array.copy() if array.dtype in FLOATS else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        pair = " Pass jac=True if it returns losses and Jacobian." if isinstance(x, tuple) and len(x) == 2 else ""
        raise ProblemError(f"{name} must return numbers; got {type(x).__name__} ({error}).{pair}") from error
    return array.reshape(1) if array.ndim == 0 else array


def _as_values(f: Any, n_losses: int) -> Vector:
    values = _as_array(f, "fun")
    if values.shape != (n_losses,):
        raise ProblemError(f"fun must return {n_losses} losses at every w, as at w0; got shape {values.shape}.")
    return values


def _as_jacobian(G: Any, n_losses: int, n_params: int) -> Matrix:
    jacobian = _as_array(G, "jac")
    shape = (n_losses, n_params)
    if jacobian.shape == shape:
        return jacobian
    if 1 in shape and jacobian.ndim == 1 and jacobian.size == n_losses * n_params:
        return jacobian.reshape(shape)
    hint = " It looks transposed: row j must be the gradient of loss j." if jacobian.shape == shape[::-1] else ""
    raise ProblemError(f"jac must return an array of shape (J, d) = {shape}; got {jacobian.shape}.{hint}")


def _hessian(hess: Function | None, w: Vector, lam: Vector, n_losses: int) -> Matrix:
    if hess is None:
        raise IncompatibleError(f"these losses have no Hessian: {NO_HESS}.")
    H, n_params = hess(w.copy(), lam.copy()), w.size
    hessian = _as_array(H.toarray() if issparse(H) else H, "hess")
    shape = (n_params, n_params)
    if hessian.size == n_params == 1:
        hessian = hessian.reshape(shape)
    if hessian.shape != shape:
        stacked = hessian.shape == (n_losses, *shape)
        hint = " That is one per loss: return their sum weighted by lam, np.tensordot(lam, H, 1)." if stacked else ""
        raise ProblemError(
            f"hess must return an array of shape (d, d) = {shape}, the Hessian of <lam, f> at w; got "
            f"{hessian.shape}.{hint}"
        )
    return symmetric(hessian, "hess(w, lam)", finite=False)
