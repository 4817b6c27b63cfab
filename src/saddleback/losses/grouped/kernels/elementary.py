"""exp and log1p without branches, tables or calls, so that the compiler vectorizes them.

Numba's own call the C library for each number, unless Intel's SVML is installed: four times slower.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compiling import FUSED, inlined

LOG2_E = 1.4426950408889634
# The high part has 20 trailing zero bits, so that its product with an exponent is exact (fdlibm, e_exp.c).
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
# 1.5 * 2^52: the sum with a small integer holds that integer in its last bits.
INTEGER = 6755399441055744.0
LN2 = 0.6931471805599453
ROOT_2_LESS_1 = 0.41421356237309503


@inlined(FUSED)
def exp(x):
    """e^x = 2^n e^r with |r| <= ln(2)/2 and the Taylor polynomial of degree 13: 0.7 ulp; 0, inf and NaN as in C."""
    z = min(max(x, -745.2), 709.8)
    n = np.rint(z * LOG2_E)
    r = (z - n * LN2_HIGH) - n * LN2_LOW
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = (p * r) * r + r + 1.0
    # In two factors, because 2^n overflows or underflows before e^x does.
    half = np.rint(0.5 * n)
    return p * _power_of_2(half) * _power_of_2(n - half)


@intrinsic
def _power_of_2(typing_context, n):
    """2^n for an integer |n| <= 1022, written into the exponent bits."""

    def generate(context, builder, signature, args):
        integer, number = ir.IntType(64), ir.DoubleType()
        bits = builder.bitcast(builder.fadd(args[0], ir.Constant(number, INTEGER)), integer)
        exponent = builder.add(bits, ir.Constant(integer, 1023))
        return builder.bitcast(builder.shl(exponent, ir.Constant(integer, 52)), number)

    return types.float64(types.float64), generate


@inlined(FUSED)
def log1p(u):
    """log(1 + u) for 0 <= u <= 1, as 2 artanh(s) with the coefficients of fdlibm's e_log.c: 1.5 ulp."""
    upper = u > ROOT_2_LESS_1
    s = (u - 1.0) / (u + 3.0) if upper else u / (u + 2.0)
    z = s * s
    p = 1.479819860511658591e-01
    p = p * z + 1.531383769920937332e-01
    p = p * z + 1.818357216161805012e-01
    p = p * z + 2.222219843214978396e-01
    p = p * z + 2.857142874366239149e-01
    p = p * z + 3.999999999940941908e-01
    p = p * z + 6.666666666666735130e-01
    artanh = 2.0 * s + s * (z * p)
    return artanh + LN2 if upper else artanh
