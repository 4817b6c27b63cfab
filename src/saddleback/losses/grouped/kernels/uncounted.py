"""Arrays whose references are not counted."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def uncounted(typing_context, x):
    """The same array, or tuple with arrays, which others must keep alive, as the caller of a kernel does.

    A reference is counted wherever a variable is given an array, also by a function that is pasted, and each takes
    twenty cycles, because threads may count at the same time: up to a tenth of an evaluation.
    """

    def generate(context, builder, signature, args):
        return _uncounted(context, builder, x, args[0])

    return x(x), generate


def _uncounted(context, builder, kind, value):
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        kinds: Any = kind
        parts = zip(kinds, cgutils.unpack_tuple(builder, value), strict=True)
        return context.make_tuple(builder, kind, [_uncounted(context, builder, *of) for of in parts])
    return value
