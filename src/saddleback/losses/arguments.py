"""SciPy's ``args``: extra arguments of the user's functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ProblemError


def checked_args(args: Any) -> tuple[Any, ...]:
    """A tuple as it is, one argument as a tuple of one; a function or a boolean, probably meant for jac, is refused."""
    if isinstance(args, tuple):
        return args
    if args is None or isinstance(args, bool | np.bool_) or callable(args):
        what = getattr(args, "__name__", type(args).__name__) if callable(args) else repr(args)
        raise ProblemError(
            f"args must be a tuple, the extra arguments of fun; got {what}. Pass a Jacobian by its name, jac=...; "
            "to hand this object on to fun, wrap it in a tuple."
        )
    return (args,)


@dataclass(frozen=True, eq=False)
class Applied:
    """x -> function(*x, *args)."""

    function: Callable[..., Any]
    args: tuple[Any, ...]

    def __call__(self, *x: Any) -> Any:
        return self.function(*x, *self.args)


def with_args(function: Any, args: tuple[Any, ...]) -> Any:
    """The function with its extra arguments; anything that is not callable (True, None) as it is."""
    return Applied(function, args) if args and callable(function) else function
