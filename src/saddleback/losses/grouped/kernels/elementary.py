"""exp and log1p without branches, tables or calls, so that the compiler vectorizes them.

Numba's own call the C library for each number, unless Intel's SVML is installed: four times slower. They are written in
the compiler's instructions: from Python code, Numba would take a fifth of a second to make the same ones.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

NUMBER, INTEGER = ir.DoubleType(), ir.IntType(64)

LOG2_E = 1.4426950408889634
# The high part has 20 trailing zero bits, so that its product with an exponent is exact (fdlibm, e_exp.c).
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
# 1.5 * 2^52: the sum with a small integer holds that integer in its last bits.
HOLDS_INTEGER = 6755399441055744.0
LN2 = 0.6931471805599453
ROOT_2_LESS_1 = 0.41421356237309503

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
LOG_SERIES = (
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
)


@intrinsic
def exp(typing_context, x):
    """e^x = 2^n e^r with |r| <= ln(2)/2 and the Taylor polynomial of degree 13: 0.7 ulp; 0, inf and NaN as in C."""

    def generate(context, builder, signature, args):
        do = _Arithmetic(builder)
        z = do.at_most(do.at_least(args[0], -745.2), 709.8)
        n = do.rounded(do.times(z, LOG2_E))
        r = do.minus(do.minus(z, do.times(n, LN2_HIGH)), do.times(n, LN2_LOW))
        p = do.times(do.polynomial(EXP_SERIES, r), r)
        p = do.plus(do.plus(do.times(p, r), r), 1.0)
        # In two factors, because 2^n overflows or underflows before e^x does.
        half = do.rounded(do.times(n, 0.5))
        return do.times(do.times(p, do.power_of_2(half)), do.power_of_2(do.minus(n, half)))

    return types.float64(types.float64), generate


@intrinsic
def log1p(typing_context, u):
    """log(1 + u) for 0 <= u <= 1, as 2 artanh(s) with the coefficients of fdlibm's e_log.c: 1.5 ulp."""

    def generate(context, builder, signature, args):
        do, u = _Arithmetic(builder), args[0]
        upper = builder.fcmp_ordered(">", u, do.number(ROOT_2_LESS_1))
        above = builder.select(upper, do.minus(u, 1.0), u)
        below = do.plus(u, builder.select(upper, do.number(3.0), do.number(2.0)))
        s = builder.fdiv(above, below)
        z = do.times(s, s)
        artanh = do.plus(do.times(s, 2.0), do.times(s, do.times(z, do.polynomial(LOG_SERIES, z))))
        return builder.select(upper, do.plus(artanh, LN2), artanh)

    return types.float64(types.float64), generate


class _Arithmetic:
    """Instructions on numbers that may be fused, as a*b + c; no other freedom is taken."""

    def __init__(self, builder):
        self.builder = builder

    @staticmethod
    def number(x):
        return ir.Constant(NUMBER, x) if isinstance(x, float) else x

    def plus(self, a, b):
        return self.builder.fadd(a, self.number(b), flags=("contract",))

    def minus(self, a, b):
        return self.builder.fsub(a, self.number(b), flags=("contract",))

    def times(self, a, b):
        return self.builder.fmul(a, self.number(b), flags=("contract",))

    def at_least(self, a, least):
        return self.builder.select(self.builder.fcmp_ordered("<", a, self.number(least)), self.number(least), a)

    def at_most(self, a, most):
        return self.builder.select(self.builder.fcmp_ordered(">", a, self.number(most)), self.number(most), a)

    def rounded(self, a):
        return self.builder.call(self.builder.module.declare_intrinsic("llvm.rint", [NUMBER]), [a])

    def polynomial(self, coefficients, x):
        """The highest coefficient first."""
        p = self.number(coefficients[0])
        for c in coefficients[1:]:
            p = self.plus(self.times(p, x), c)
        return p

    def power_of_2(self, n):
        """2^n for an integer |n| <= 1022, written into the exponent bits."""
        builder = self.builder
        bits = builder.bitcast(builder.fadd(n, self.number(HOLDS_INTEGER)), INTEGER)
        exponent = builder.add(bits, ir.Constant(INTEGER, 1023))
        return builder.bitcast(builder.shl(exponent, ir.Constant(INTEGER, 52)), NUMBER)
