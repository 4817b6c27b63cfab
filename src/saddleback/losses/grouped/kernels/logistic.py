"""The logistic loss and its slope, some vectors of rows at a time.

At the margin m = y eta, with e = exp(-|m|), they are log(1 + e) - min(m, 0) and -y e/(1 + e), or -y/(1 + e) for m < 0.
e is a quotient, of which numerator and denominator are used: a slope takes one division, a value another.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .arithmetic import EXPONENT_OF_ONE, HOLDS_INTEGER, SIGN, Arithmetic, vector_numbers
from .elementary import LN2_HIGH, LN2_LOW, LOG2_E

VECTORS = {8: 4, 4: 2, 2: 2}
"""By the numbers of a register, the vectors that are computed side by side: each waits for its own results."""

NOTHING = -750.0
"""exp of this is zero. From -752 on, the exponents of `SHIFT` would be too small for a number."""

SHIFT = 64
"""2^n underflows before e does: it is 2^(n + 64) 2^-64."""

# e^r = 1 + 2 r/(2 - c) with c = r - r^2 P(r^2), |r| <= ln(2)/2: the error is below 2^-59 (fdlibm, e_exp.c).
EXP_SERIES = (
    4.13813679705723846039e-08,
    -1.65339022054652515390e-06,
    6.61375632143793436117e-05,
    -2.77777777770155933842e-03,
    1.66666666666666019037e-01,
)
# (2 artanh(s) - 2 s)/s^3 as a polynomial of s^2 <= 1/9, at the Chebyshev nodes: the error of the sum is below 2^-56.
LOG_SERIES = (
    0.1616404561194353,
    0.08800738486144674,
    0.12001072809590713,
    0.13314144209654935,
    0.15385570064958623,
    0.18181789436132859,
    0.22222222717427864,
    0.2857142856710876,
    0.40000000000014585,
    0.6666666666666666,
)


@intrinsic
def set_logistic(typing_context, eta, y, size, value, slope):
    """value[i] and slope[i] at eta[i] for i < size, where y[i] is -1 or 1. Their bits do not depend on i or size."""

    def generate(context, builder, signature, args):
        arrays = [context.make_array(signature.args[k])(context, builder, args[k]).data for k in (0, 1, 3, 4)]
        begin, size, numbers = ir.Constant(args[2].type, 0), args[2], vector_numbers(context)
        for count in (VECTORS[numbers] * numbers, numbers, 1):
            end = builder.and_(size, ir.Constant(size.type, -count))
            with cgutils.for_range_slice(builder, begin, end, ir.Constant(size.type, count)) as (i, _):
                do = Arithmetic(builder, count)
                results = _value_and_slope(do, do.loaded(arrays[0], i), do.loaded(arrays[1], i))
                for x, array in zip(results, arrays[2:], strict=True):
                    do.store(x, array, i)
            begin = end
        return context.get_dummy_value()

    assert all(kind.layout == "C" for kind in (eta, y, value, slope))
    return types.void(eta, y, size, value, slope), generate


def _value_and_slope(do, eta, y):
    y = do.bits(y)
    margin, negative, less = margin_of(do, eta, y)
    numerator, denominator = exp_of_minus(do, less)
    both = do.plus(denominator, numerator)
    share = do.over(do.where(negative, denominator, numerator), both)
    # e/(2 + e)
    log = log_of_quotient(do, do.over(numerator, do.plus(both, denominator)))
    return do.minus(log, do.where(negative, margin, 0.0)), signed(do, share, y)


def margin_of(do, eta, y):
    """y eta, whether it is negative, and -|y eta|, for the bits of y = -1 or 1."""
    builder, sign = do.builder, do.whole(SIGN)
    margin = do.of_bits(builder.xor(do.bits(eta), builder.and_(y, sign)))
    return margin, do.less(margin, 0.0), do.of_bits(builder.or_(do.bits(margin), sign))


def signed(do, x, y):
    """-y x for the bits of y."""
    return do.of_bits(do.builder.xor(do.bits(x), do.builder.and_(do.builder.not_(y), do.whole(SIGN))))


def log_of_quotient(do, s):
    """log(1 + e) = 2 artanh(s) for s = e/(2 + e), 0 <= e <= 1."""
    square = do.times(s, s)
    return do.fused(do.times(s, square), do.polynomial(LOG_SERIES, square), do.plus(s, s))


def exp_of_minus(do, x):
    """e^x for x <= 0 as a numerator, which may be 0, and a denominator between 1.6 and 2.4."""
    x = do.at_least(x, NOTHING)
    shifted = HOLDS_INTEGER + EXPONENT_OF_ONE + SHIFT
    held = do.fused(x, LOG2_E, shifted)
    n = do.minus(held, shifted)
    r = do.fused(n, -LN2_LOW, do.fused(n, -LN2_HIGH, x))
    square = do.times(r, r)
    denominator = do.fused(square, do.polynomial(EXP_SERIES, square), do.minus(2.0, r))
    numerator = do.times(do.plus(denominator, do.plus(r, r)), do.as_exponent(do.bits(held)))
    return do.times(numerator, 2.0**-SHIFT), denominator
