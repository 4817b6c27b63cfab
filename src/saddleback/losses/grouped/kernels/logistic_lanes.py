"""The logistic loss of several parameter vectors at once, summed over rows of equal coefficients.

The sum of log(1 + e) over some rows is log(1 + E) of the product 1 + E of all 1 + e: one logarithm for many rows. E is
summed up without its one, E + e (1 + E), and no term is negative: small losses keep their digits, as in a sum of
logarithms.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .arithmetic import EXPONENT, EXPONENT_OF_ONE, Arithmetic
from .elementary import LN2_HIGH, LN2_LOW
from .lanes import Lanes
from .logistic import exp_of_minus, log_of_quotient, margin_of, signed

SIDE_BY_SIDE = 2
"""Rows that have sums of their own, so that none waits for the one before: as many for any number of lanes and of
registers, as the bits of the sum depend on it."""

MOST = 512
"""Rows of one logarithm: 1 + E is at most 2^512."""


@intrinsic
def add_logistic(typing_context, eta, y, start, c, count, scaled, first, f, target, slopes, place, lanes):
    """scaled[first + i] = c slope(eta[i], y[start + i]) for i < count, at most `MOST`.

    Their sum is added to slopes[place], and that of c value to f[target].
    """

    def generate(context, builder, signature, args):
        _AddLogistic(Lanes(context, builder, signature, args)).generate()
        return context.get_dummy_value()

    arguments = eta, y, start, c, count, scaled, first, f, target, slopes, place, lanes
    return types.void(*arguments), generate


class _AddLogistic:
    """Instructions of `add_logistic`."""

    def __init__(self, do):
        self.do, self.builder = do, do.builder
        self.eta, self.y, self.scaled, self.f, self.slopes = (do.array(k) for k in (0, 1, 5, 7, 9))
        self.start, self.c, self.count, self.first, self.target, self.place, self.lanes = (
            do.args[k] for k in (2, 3, 4, 6, 8, 10, 11)
        )

    def generate(self):
        self.do.stripes(self.lanes, self._sum)

    def _sum(self, stripe, width):
        """The sums of ``width`` registers of lanes, some rows side by side and then those that are left."""
        do, builder = self.do, self.builder
        together = SIDE_BY_SIDE
        whole = builder.and_(self.count, do.whole(-together))
        several, one = (Arithmetic(builder, rows * width * do.numbers) for rows in (together, 1))
        sums = [[_variable(of) for _ in range(3)] for of in (several, one)]
        with do.loop(whole, together) as i:
            self._add(several, sums[0], i, stripe, width, together)
        self._gather(one, sums, together)
        with do.loop(self.count, start=whole) as i:
            self._add(one, sums[1], i, stripe, width, 1)
        E, below, slope = (builder.load(x) for x in sums[1])
        value = one.times(one.minus(_log1p(one, E), below), self._in_vector(one, self.c))
        for x, array, entry in ((value, self.f, self.target), (slope, self.slopes, self.place)):
            for v, total in enumerate(self._split(x, width)):
                before = do.vectors(array, entry, self.lanes, stripe, width)[v]
                do.store(array, entry, self.lanes, stripe, v, builder.fadd(before, total))

    def _add(self, of, sums, i, stripe, width, rows):
        """Some rows: their slopes are stored, and the sums continued."""
        do, builder = self.do, self.builder
        numbers = [builder.add(i, do.whole(r)) for r in range(rows)]
        eta = self._join([x for row in numbers for x in do.vectors(self.eta, row, self.lanes, stripe, width)])
        y = self._labels(of, numbers)
        margin, negative, less = margin_of(of, eta, y)
        numerator, denominator = exp_of_minus(of, less)
        both = of.plus(denominator, numerator)
        share = of.over(of.where(negative, denominator, numerator), both)
        slope = of.times(signed(of, share, y), self._in_vector(of, self.c))
        parts = self._split(slope, rows * width)
        for r, row in enumerate(numbers):
            for v in range(width):
                do.store(self.scaled, builder.add(self.first, row), self.lanes, stripe, v, parts[r * width + v])
        E, below, total = (builder.load(x) for x in sums)
        builder.store(of.fused(of.over(numerator, denominator), of.plus(E, 1.0), E), sums[0])
        builder.store(of.plus(below, of.where(negative, margin, 0.0)), sums[1])
        builder.store(of.plus(total, slope), sums[2])

    def _gather(self, one, sums, together):
        """The sums of rows side by side as those of one row."""
        builder = self.builder
        for k, (several, single) in enumerate(zip(*sums, strict=True)):
            total, *others = self._split(builder.load(several), together)
            for x in others:
                total = one.fused(x, one.plus(total, 1.0), total) if k == 0 else one.plus(total, x)
            builder.store(total, single)

    def _labels(self, of, rows):
        """The bits of y of some rows, each in all of its lanes."""
        start = self.builder.gep(self.y, [self.start], inbounds=True)
        each = of.count // len(rows)
        joined = ir.Constant(ir.VectorType(ir.DoubleType(), len(rows)), ir.Undefined)
        for r, row in enumerate(rows):
            y = self.builder.load(self.builder.gep(start, [row], inbounds=True))
            joined = self.builder.insert_element(joined, y, _number(r))
        return of.bits(_shuffled(self.builder, joined, [r for r in range(len(rows)) for _ in range(each)]))

    def _in_vector(self, of, x):
        nothing = ir.Constant(of.kind, ir.Undefined)
        return _shuffled(self.builder, self.builder.insert_element(nothing, x, _number(0)), [0] * of.count)

    def _join(self, vectors):
        """Vectors, as many as a power of 2, one after the other."""
        while len(vectors) > 1:
            size = 2 * vectors[0].type.count
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [self.builder.shuffle_vector(a, b, _mask(range(size))) for a, b in pairs]
        return vectors[0]

    def _split(self, x, count):
        size = x.type.count // count
        return [_shuffled(self.builder, x, range(k * size, (k + 1) * size)) for k in range(count)]


def _variable(of):
    """A place for a vector, which begins with zeros."""
    place = cgutils.alloca_once(of.builder, of.kind)
    of.builder.store(of.number(0.0), place)
    return place


def _number(k):
    return ir.Constant(ir.IntType(32), k)


def _mask(numbers):
    return ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), list(numbers))


def _shuffled(builder, x, numbers):
    return builder.shuffle_vector(x, ir.Constant(x.type, ir.Undefined), _mask(numbers))


def _log1p(do, x):
    """log(1 + x) for 0 <= x <= 2^512, or NaN: k log(2) + log(1 + r) with 1 + x = 2^k (1 + r)."""
    builder = do.builder
    bits = do.bits(do.plus(x, 1.0))
    # 2^52 + m has the whole number m in its last bits.
    exponent = builder.or_(builder.lshr(bits, do.whole(EXPONENT)), do.bits(do.number(2.0**EXPONENT)))
    k = do.minus(do.of_bits(exponent), 2.0**EXPONENT + EXPONENT_OF_ONE)
    mantissa = builder.and_(bits, do.whole((1 << EXPONENT) - 1))
    rest = do.minus(do.of_bits(builder.or_(mantissa, do.bits(do.number(1.0)))), 1.0)
    rest = do.where(do.less(x, 1.0), x, rest)
    log = log_of_quotient(do, do.over(rest, do.plus(rest, 2.0)))
    # The last product is 0, or NaN.
    return do.plus(do.fused(k, LN2_HIGH, do.fused(k, LN2_LOW, log)), do.times(x, 0.0))
