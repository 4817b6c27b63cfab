"""What a user's own pointwise loss declares: its functions, kinds of response, convexity and bounds, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._validation import number
from ...errors import ProblemError
from .pointwise_loss import RESPONSES, PointwiseLoss
from .pointwise_losses import LOSSES

FUNCTIONS = ("value_and_slope", "curvature")
IN_KERNEL = (*FUNCTIONS, "kernel", "options", "response")
"""The members that the kernels of our losses replace: a subclass that overrides any of them is a user's own loss."""


def has_function(loss: Any, name: str) -> bool:
    """Whether ``loss`` has that function itself, not only the one of the base class, which raises."""
    return callable(getattr(loss, name, None)) and getattr(type(loss), name, None) is not getattr(PointwiseLoss, name)


def has_kernel(loss: Any) -> bool:
    """Whether it is one of our losses, or a subclass that overrides none of IN_KERNEL."""
    ours = _ours(loss)
    return ours is not None and all(
        getattr(type(loss), name) is getattr(ours, name) and name not in vars(loss) for name in IN_KERNEL
    )


def compiled_function(loss: Any, name: str) -> Any:
    """The user's compiled function, or None; of a bound method, the function itself."""
    function = _declared(loss, "compiled")
    if function is not None and not callable(function):
        raise ProblemError(f"compiled of the pointwise loss {name} must be a function; got {function!r}.")
    return getattr(function, "__func__", function)


def _ours(loss: Any) -> type[PointwiseLoss] | None:
    return next((type(of_ours) for of_ours in LOSSES.values() if isinstance(loss, type(of_ours))), None)


def check_kernel(loss: Any, name: str) -> None:
    kernel, ours = getattr(loss, "kernel", None), _ours(loss)
    if kernel is not None and (ours is None or kernel is not ours.kernel):
        raise ProblemError(
            f"the pointwise loss {name} has kernel = {kernel!r}, which is for the losses of this library. Leave it "
            "out: value_and_slope and curvature are enough."
        )


def response_of(loss: Any, name: str) -> str:
    response = getattr(loss, "response", "real")
    if not (isinstance(response, str) and response in RESPONSES):
        raise ProblemError(
            f"the response of the pointwise loss {name} must be one of {', '.join(map(repr, RESPONSES))}; got "
            f"{response!r}. Your own loss has one margin per row: number the classes, and take 'real'."
        )
    return response


def declared_boolean(loss: Any, attribute: str, name: str) -> bool:
    value = _declared(loss, attribute)
    if value is not None and not isinstance(value, bool | np.bool_):
        raise ProblemError(f"{attribute} of the pointwise loss {name} must be True or False; got {value!r}.")
    return bool(value)


def curvature_bound_of(loss: Any, name: str) -> float | None:
    for attribute in ("curvature_bound", "largest_curvature"):
        bound = _declared(loss, attribute)
        if bound is not None:
            return number(bound, f"{attribute} of the pointwise loss {name}", minimum=0.0)
    return None


def _declared(loss: Any, name: str) -> Any:
    """An attribute; None where a subclass has overridden the functions of the class that declares it."""
    of_functions = min(_level(loss, function) for function in FUNCTIONS if has_function(loss, function))
    return getattr(loss, name, None) if _level(loss, name) <= of_functions else None


def _level(loss: Any, name: str) -> int:
    """The index of the class that defines ``name`` among the object (0) and its classes."""
    scopes = [getattr(loss, "__dict__", {}), *(vars(kind) for kind in type(loss).__mro__)]
    return next((level for level, scope in enumerate(scopes) if name in scope), 0)
