"""Arithmetic on numbers, or on vectors of them, in the compiler's instructions."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from llvmlite import ir

NUMBER, INTEGER = ir.DoubleType(), ir.IntType(64)

SIGN = -(1 << 63)
"""The bit of a number that is its sign."""

EXPONENT = 52
"""Where the exponent of a number begins in its bits."""

EXPONENT_OF_ONE = 1023


def vector_numbers(context) -> int:
    """Numbers in a register of the CPU for which is compiled: its features are named in a text."""
    features = context.codegen().magic_tuple()[2].split(",")
    return 8 if "+avx512f" in features else 4 if "+avx" in features else 2


class Arithmetic:
    """Instructions on numbers, or on vectors of ``count`` numbers.

    Only `fused` lets the compiler fuse a multiplication and an addition, and no other freedom is taken, so that vectors
    have the bits of numbers. Python's floats stand for constants.
    """

    def __init__(self, builder, count=1):
        self.builder, self.count = builder, count
        self.kind = self._of(NUMBER)

    def number(self, x):
        return self._constant(self.kind, x) if isinstance(x, float) else x

    def plus(self, a, b):
        return self.builder.fadd(self.number(a), self.number(b))

    def minus(self, a, b):
        return self.builder.fsub(self.number(a), self.number(b))

    def times(self, a, b):
        return self.builder.fmul(self.number(a), self.number(b))

    def over(self, a, b):
        return self.builder.fdiv(self.number(a), self.number(b))

    def fused(self, a, b, c):
        """a b + c."""
        flags = ("contract",)
        product = self.builder.fmul(self.number(a), self.number(b), flags=flags)
        return self.builder.fadd(product, self.number(c), flags=flags)

    def polynomial(self, coefficients, x):
        """The highest coefficient first."""
        p = self.number(coefficients[0])
        for c in coefficients[1:]:
            p = self.fused(p, x, c)
        return p

    def less(self, a, b):
        return self.builder.fcmp_ordered("<", self.number(a), self.number(b))

    def where(self, condition, a, b):
        return self.builder.select(condition, self.number(a), self.number(b))

    def at_least(self, a, least):
        """NaN is kept."""
        return self.where(self.less(a, least), least, a)

    def at_most(self, a, most):
        """NaN is kept."""
        return self.where(self.less(most, a), most, a)

    def rounded(self, a):
        return self.builder.call(self.builder.module.declare_intrinsic("llvm.rint", [self.kind]), [a])

    def bits(self, a):
        return self.builder.bitcast(a, self._of(INTEGER))

    def of_bits(self, bits):
        return self.builder.bitcast(bits, self.kind)

    def whole(self, number):
        return self._constant(self._of(INTEGER), number)

    def as_exponent(self, bits):
        """The number whose exponent is in the last bits, with one before it: 2^n for n + 1023, 0 < n + 1023 < 2047."""
        return self.of_bits(self.builder.shl(bits, self.whole(EXPONENT)))

    def power_of_2(self, n):
        """2^n for a whole number |n| <= 1022."""
        return self.as_exponent(self.bits(self.plus(n, HOLDS_INTEGER + EXPONENT_OF_ONE)))

    def loaded(self, array, i):
        """The entries from i on of an array."""
        return self.builder.load(self._place(array, i), align=8)

    def store(self, x, array, i):
        self.builder.store(x, self._place(array, i), align=8)

    def _place(self, array, i):
        return self.builder.bitcast(self.builder.gep(array, [i], inbounds=True), self.kind.as_pointer())

    def _of(self, kind):
        return kind if self.count == 1 else ir.VectorType(kind, self.count)

    def _constant(self, kind, x):
        return ir.Constant(kind, x if self.count == 1 else [x] * self.count)


HOLDS_INTEGER = 6755399441055744.0
"""1.5 * 2^52: the sum with a small whole number holds that number in its last bits."""
