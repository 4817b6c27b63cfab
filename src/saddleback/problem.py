"""The problem: losses f, dual set Lambda, regularizer R."""

from __future__ import annotations

from dataclasses import dataclass, field
from reprlib import repr as shortened

import numpy as np
from numpy.typing import ArrayLike

from ._types import Vector
from ._validation import finite_vector, loss_array, loss_pair, n_axes
from .adversary import Adversary, BestResponse, check_kinds
from .capabilities import members, offers
from .dual_sets import DualSet, Product, Simplex
from .errors import ProblemError
from .losses import Losses
from .losses.base import HasHessian, HasJacobianError, HasLossHessians, HasSampledHessian, HasValues
from .machine.resources import check_room
from .regularizers import Regularizer, Zero
from .subproblem import adversary_of

COUNTS = ("n_losses", "n_params")
# The protocols whose members, except the counts, must be functions if present; ``values`` and ``jacobian_error`` may
# be None. ``smoothness`` and ``parameter_scales`` may also be numbers, and are not checked here.
FUNCTIONS = (Losses, HasHessian, HasLossHessians, HasSampledHessian)
FUNCTIONS_OR_NONE = (HasValues, HasJacobianError)


@dataclass(frozen=True, eq=False)
class Problem:
    """min over w of g(w) = max over lam in Lambda of <lam, f(w)> - R(lam) = h(f(w)); with a reference r, h(f(w) - r).

    Parameters
    ----------
    losses : Losses
        f: J convex, smooth losses of d parameters; any object with ``n_losses``, ``n_params`` and ``evaluate``.
    dual_set : DualSet
        Lambda, the simplex unless given: g is then the (regularized) largest loss.
    regularizer : Regularizer
        R, zero unless given.
    metric : float or (d,) array, optional
        P > 0: distances between parameters, smoothness, radius and steps are measured by |w|_P^2 = sum P_i w_i^2.
        Rescaling w and the metric together does not change the iterates.
    reference : (J,) array, optional
        r: the adversary weighs the regrets f_j(w) - r_j instead of the losses. r_j may be the loss of another model, or
        the least value that loss j can have; take it from rows that nobody has fitted, as fitted losses are too low for
        small groups. For losses that are a matrix, r is one as well. Results show the losses f(w) themselves.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> losses = sb.from_functions(lambda w: ([w @ w, (w - 1) @ (w - 1)], [2 * w, 2 * w - 2]), np.zeros(1), jac=True)
    >>> sb.Problem(losses).value([0.5])
    0.25
    >>> sb.Problem(losses, reference=[0.0, 0.2]).value([0.0])
    0.8
    """

    losses: Losses
    dual_set: DualSet = field(default_factory=Simplex)
    regularizer: Regularizer = field(default_factory=Zero)
    metric: ArrayLike | None = None
    reference: ArrayLike | None = field(default=None, kw_only=True)
    adversary: Adversary = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.losses, type):
            raise ProblemError(f"losses must be an object; got the class {self.losses.__name__}. Make an instance.")
        _check_losses(self.losses)
        if self.metric is not None:
            object.__setattr__(self, "metric", positive_metric(self.metric, self.n_params))
        check_kinds(self.dual_set, self.regularizer)
        _check_shape(self.losses, self.dual_set)
        object.__setattr__(self, "adversary", adversary_of(self.dual_set, self.regularizer, self.n_losses))
        if self.reference is not None:
            reference = self.dual_set.from_user(self.reference, "reference", self.n_losses)
            object.__setattr__(self, "reference", reference)

    def with_losses(self, losses: Losses) -> Problem:
        """The same problem with other losses, of as many losses and parameters; what is known of Lambda and R is kept.

        Examples
        --------
        >>> import saddleback as sb
        >>> losses = sb.GroupedLinear([[1.0], [2.0]], [0, 1], ["a", "b"])
        >>> problem = sb.Problem(losses)
        >>> round(problem.with_losses(losses.with_l2(2.0)).value([1.0, 0.0]) - problem.value([1.0, 0.0]), 6)
        1.0
        """
        _check_losses(losses)
        for name in COUNTS:
            if getattr(losses, name) != getattr(self.losses, name):
                raise ProblemError(
                    f"losses must have the {name} of the problem, {getattr(self.losses, name)}; got "
                    f"{getattr(losses, name)}. Make a new Problem of them."
                )
        _check_shape(losses, self.dual_set)
        problem = object.__new__(Problem)
        problem.__dict__.update(self.__dict__, losses=losses)
        return problem

    @property
    def n_losses(self) -> int:
        """J."""
        return int(self.losses.n_losses)

    @property
    def n_params(self) -> int:
        """d."""
        return int(self.losses.n_params)

    def best_response(self, z: ArrayLike) -> BestResponse:
        """h(z) and the lam in Lambda that attains it, for losses z; h(z - r) where there is a reference r."""
        response = self.adversary.best_response(self._regrets(self.dual_set.from_user(z, "z", self.n_losses)))
        return BestResponse(response.value, self.dual_set.to_user(response.lam))

    def value(self, w: ArrayLike) -> float:
        """g(w) = h(f(w)), or h(f(w) - r); inf where a loss is not finite."""
        w = finite_vector(w, "w", self.n_params)
        losses = self.losses
        f: Vector = loss_array(losses.values(w)) if offers(losses, HasValues) else loss_pair(losses.evaluate(w))[0]
        if f.shape != (self.n_losses,):
            raise ProblemError(f"losses must return {self.n_losses} values; got shape {f.shape}.")
        f = self._regrets(f.astype(np.float64))
        return self.adversary.value(f) if np.isfinite(f).all() else np.inf

    def _regrets(self, f: Vector) -> Vector:
        """f - r; f where there is no reference."""
        return f if self.reference is None else f - np.asarray(self.reference)


def _check_losses(losses: Losses) -> None:
    """Refuse losses that lack members of the protocol or have members of a wrong type."""
    for name in members(Losses):
        if not hasattr(losses, name):
            remedy = " Make losses of a function with from_functions, or call minimax." if callable(losses) else ""
            raise ProblemError(f"losses must offer {name!r} (see the Losses protocol); got {losses!r}.{remedy}")
    for name in COUNTS:
        count = getattr(losses, name)
        if not isinstance(count, int | np.integer) or count < 1:
            raise ProblemError(f"losses.{name} must be at least 1; got {count!r}, expected a whole number.")
        vector = f"a vector of losses.{name} = {count} numbers"
        check_room(8.0 * int(count), vector, "Check the number, or solve a smaller problem.")
    for capability in FUNCTIONS + FUNCTIONS_OR_NONE:
        for name in members(capability):
            if name not in COUNTS:
                _check_function(losses, name, capability)


def _check_function(losses: Losses, name: str, capability: type) -> None:
    """Refuse a member that is present but not a function."""
    # A property is not read, as that would compute it.
    if isinstance(getattr(type(losses), name, None), property) or not hasattr(losses, name):
        return
    function = getattr(losses, name)
    if callable(function) or (function is None and capability in FUNCTIONS_OR_NONE):
        return
    remedy = "Write a method" if capability is Losses else "Write a method, or leave it out"
    raise ProblemError(f"losses.{name} must be a function; got {shortened(function)}. {remedy} (see Losses).")


def _check_shape(losses: Losses, dual_set: DualSet) -> None:
    """Refuse matrix losses with a set of vectors, and the reverse: svec coordinates are not plain losses."""
    # Not by LossFacts, which would read all facts, strong_convexity included, before a run begins.
    k = getattr(losses, "matrix_size", None)
    if dual_set.takes_matrices and k is None and not isinstance(dual_set, Product):
        raise ProblemError(
            f"Spectrahedron needs losses that are matrices (AffineMatrix, from_matrix_functions, or an attribute "
            f"matrix_size); got {type(losses).__name__}. For {losses.n_losses} plain losses use Simplex()."
        )
    if k is not None and not dual_set.takes_matrices:
        raise ProblemError(
            f"{type(losses).__name__} is a matrix of losses and needs dual_set=Spectrahedron(); got {dual_set!r}."
        )


def positive_metric(metric: ArrayLike, d: int) -> Vector:
    """P as a vector of length d, from one positive number or d of them."""
    P = np.repeat(finite_vector(metric, "metric"), d) if n_axes(metric) == 0 else finite_vector(metric, "metric", d)
    if P.min() <= 0:
        raise ProblemError(f"metric must be positive; got least entry {P.min():g}.")
    return P
