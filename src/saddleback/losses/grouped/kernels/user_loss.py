"""A user's compiled pointwise loss: compiled into a loop over a block of rows, and called by its address.

The address is an argument of the kernel, so that one kernel, cached on disk, serves every such loss.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compiling import FUSED, options

NUMBERS = types.CPointer(types.float64)
LOOP = types.void(NUMBERS, NUMBERS, types.intp, NUMBERS, NUMBERS)
"""(eta, y, size, value, slope): value[i], slope[i] = function(eta[i], y[i]) for i < size."""


@cache
def compiled_loop(function: Callable[[float, float], tuple[float, float]]) -> Any:
    """The loop over ``function`` in machine code; the cache keeps its address valid."""
    scalar: Any = function if hasattr(function, "py_func") else numba.njit(**options(FUSED))(function)

    @numba.cfunc(LOOP, error_model="numpy")
    def loop(eta, y, size, value, slope):
        for i in range(size):
            value[i], slope[i] = scalar(eta[i], y[i])

    return loop


@intrinsic
def call_loop(typing_context, address, eta, y, size, value, slope):
    """Call the loop at ``address``; the arrays are one-dimensional, contiguous and of float64."""

    def generate(context, builder, signature, args):
        numbers, integer = ir.DoubleType().as_pointer(), context.get_value_type(types.intp)
        loop = ir.FunctionType(ir.VoidType(), [numbers, numbers, integer, numbers, numbers])
        data = [
            context.make_array(kind)(context, builder, array).data
            for kind, array in zip(signature.args, args, strict=True)
            if isinstance(kind, types.Array)
        ]
        builder.call(builder.inttoptr(args[0], loop.as_pointer()), [*data[:2], args[3], *data[2:]])
        return context.get_dummy_value()

    return types.void(address, eta, y, size, value, slope), generate
