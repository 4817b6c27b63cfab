"""exp without branches, tables or calls, so that the compiler vectorizes it.

Numba's own calls the C library for each number, unless Intel's SVML is installed: four times slower. It is written in
the compiler's instructions: from Python code, Numba would take a fifth of a second to make the same ones.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from .arithmetic import Arithmetic

LOG2_E = 1.4426950408889634
# The high part has 20 trailing zero bits, so that its product with an exponent is exact (fdlibm, e_exp.c).
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10

# 1/13!, ..., 1/2!
EXP_SERIES = (
    1.0 / 6227020800.0,
    1.0 / 479001600.0,
    1.0 / 39916800.0,
    1.0 / 3628800.0,
    1.0 / 362880.0,
    1.0 / 40320.0,
    1.0 / 5040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
)


@intrinsic
def exp(typing_context, x):
    """e^x = 2^n e^r with |r| <= ln(2)/2 and the Taylor polynomial of degree 13: 0.7 ulp; 0, inf and NaN as in C."""

    def generate(context, builder, signature, args):
        do = Arithmetic(builder)
        z = do.at_most(do.at_least(args[0], -745.2), 709.8)
        n = do.rounded(do.times(z, LOG2_E))
        r = do.fused(n, -LN2_LOW, do.fused(n, -LN2_HIGH, z))
        p = do.times(do.polynomial(EXP_SERIES, r), r)
        p = do.plus(do.fused(p, r, r), 1.0)
        # In two factors, because 2^n overflows or underflows before e^x does.
        half = do.rounded(do.times(n, 0.5))
        return do.times(do.times(p, do.power_of_2(half)), do.power_of_2(do.minus(n, half)))

    return types.float64(types.float64), generate
