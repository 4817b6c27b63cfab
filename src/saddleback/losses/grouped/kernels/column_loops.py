"""Loops over the rows start, start + 1, ... of a flat table of d columns of n numbers, in the compiler's instructions.

From Python code, Numba would take a second to make the same ones. The compiler vectorizes them for the CPU. Four
columns are read at a time; beyond the last one it is read again, and what follows from that is not used. Sums are in
loops that write nothing: otherwise their order would depend on the addresses of the arrays. Whole numbers are unsigned
and have 64 bits.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from .compiling import FUSED, REORDERED

NUMBER = ir.DoubleType()
ZERO = ir.Constant(NUMBER, 0.0)
FOUR = range(4)
FUSE, REORDER = tuple(sorted(FUSED)), tuple(sorted(REORDERED))


@intrinsic
def set_margins(typing_context, X, n, d, offset, w, start, size, eta):
    """eta[i] = x_i'w + offset_i for i < size; w ends with the intercept where it is longer than d."""

    def generate(context, builder, signature, args):
        do = _Loops(context, builder, signature, args)
        x, shift, weights, margins = do.vectors(0, 3, 4, 7)
        n, d, start, size = args[1], args[2], args[5], args[6]
        with_intercept = builder.icmp_unsigned(">", weights.size, d)
        last = weights.at(builder.select(with_intercept, d, do.whole(0)))
        constant = builder.select(with_intercept, last, ZERO)
        with do.loop(size) as i:
            margins.set(i, constant)
        with do.loop(d, 4) as k:
            columns = do.columns(n, d, k, start)
            w = [builder.select(column.inside, weights.at(column.number), ZERO) for column in columns]
            with do.loop(size) as i:
                terms = [builder.fmul(w[b], x.at(builder.add(columns[b].place, i)), flags=FUSE) for b in FOUR]
                pairs = [builder.fadd(terms[b], terms[b + 1], flags=FUSE) for b in (0, 2)]
                margins.add(i, builder.fadd(*pairs, flags=FUSE))
        with builder.if_then(builder.icmp_unsigned(">", shift.size, do.whole(0))), do.loop(size) as i:
            margins.add(i, shift.at(builder.add(start, i)))
        return context.get_dummy_value()

    return types.void(X, n, d, offset, w, start, size, eta), generate


@intrinsic
def weighted_sum(typing_context, coefficient, start, size, value):
    """sum_i coefficient_i value[i] for i < size."""

    def generate(context, builder, signature, args):
        do = _Loops(context, builder, signature, args)
        coefficients, values = do.vectors(0, 3)
        total = _Totals(builder, 1)
        with do.loop(args[2]) as i:
            total.add(0, coefficients.at(builder.add(args[1], i)), values.at(i))
        return total.at(0)

    return types.float64(coefficient, start, size, value), generate


@intrinsic
def add_gradient(typing_context, X, n, d, start, size, c, g):
    """g += sum_i c[i] z_i for i < size; z_i is x_i, followed by a 1 where g is longer than d."""

    def generate(context, builder, signature, args):
        do = _Loops(context, builder, signature, args)
        x, factors, sums = do.vectors(0, 5, 6)
        n, d, start, size = args[1:5]
        with do.loop(d, 4) as k:
            columns, totals = do.columns(n, d, k, start), _Totals(builder, 4)
            with do.loop(size) as i:
                factor = factors.at(i)
                for b in FOUR:
                    totals.add(b, factor, x.at(builder.add(columns[b].place, i)))
            for b in FOUR:
                with builder.if_then(columns[b].inside):
                    sums.add(columns[b].number, totals.at(b))
        with builder.if_then(builder.icmp_unsigned(">", sums.size, d)):
            total = _Totals(builder, 1)
            with do.loop(size) as i:
                total.add(0, factors.at(i))
            sums.add(d, total.at(0))
        return context.get_dummy_value()

    return types.void(X, n, d, start, size, c, g), generate


@intrinsic
def add_tiles(typing_context, X, n, d, start, size, h, scaled, distance, A):
    """A += sum_i h[i] x_i x_i' for i < size, in the lower triangle.

    A is flat with rows of d + 4 numbers. Some entries above the diagonal and beyond the columns change, too. ``scaled``
    has room for four columns, each ``distance`` after the one before. Tiles of 4 x 4 columns: on adult (32,561 x 35)
    1.25 ms with AVX-512, where twelve sums (4 x 3) took 1.3 and BLAS 2.0.
    """

    def generate(context, builder, signature, args):
        do = _Loops(context, builder, signature, args)
        x, factors, products, entries = do.vectors(0, 5, 6, 8)
        n, d, start, size = args[1:5]
        distance = args[7]
        stride = builder.add(d, do.whole(4))
        with do.loop(d, 4) as k:
            columns = do.columns(n, d, k, start)
            with do.loop(size) as i:
                factor, target = factors.at(i), i
                for b in FOUR:
                    products.set(target, builder.fmul(factor, x.at(builder.add(columns[b].place, i))))
                    target = builder.add(target, distance)
            with do.loop(builder.add(k, do.whole(4)), 4) as m:
                others, totals = do.columns(n, d, m, start), _Totals(builder, 16)
                with do.loop(size) as i:
                    of_row = [x.at(builder.add(others[b].place, i)) for b in FOUR]
                    source = i
                    for a in FOUR:
                        factor = products.at(source)
                        for b in FOUR:
                            totals.add(4 * a + b, factor, of_row[b])
                        source = builder.add(source, distance)
                entry = builder.add(builder.mul(k, stride), m)
                for a in FOUR:
                    for b in FOUR:
                        entries.add(builder.add(entry, do.whole(b)), totals.at(4 * a + b))
                    entry = builder.add(entry, stride)
        return context.get_dummy_value()

    return types.void(X, n, d, start, size, h, scaled, distance, A), generate


@intrinsic
def weigh(typing_context, x, scale, coefficient, start, size):
    """x[i] *= scale coefficient_i for i < size."""

    def generate(context, builder, signature, args):
        do = _Loops(context, builder, signature, args)
        numbers, coefficients = do.vectors(0, 2)
        with do.loop(args[4]) as i:
            factor = builder.fmul(args[1], coefficients.at(builder.add(args[3], i)), flags=FUSE)
            numbers.set(i, builder.fmul(numbers.at(i), factor, flags=FUSE))
        return context.get_dummy_value()

    return types.void(x, scale, coefficient, start, size), generate


@intrinsic
def add_symmetric(typing_context, sums, d, H, number, p):
    """H[number] += the symmetric p x p matrix that `add_tiles` and `add_gradient` have summed.

    ``sums`` has the lower triangle of the first d rows in rows of d + 4 numbers, and after d + 4 such rows the row of
    the intercept, where p is d + 1.
    """

    def generate(context, builder, signature, args):
        do = _Loops(context, builder, signature, args)
        (source,) = do.vectors(0)
        target = _Vector(context, builder, signature.args[2], args[2])
        d, p = args[1], args[4]
        stride = builder.add(d, do.whole(4))
        first = builder.mul(builder.mul(args[3], p), p)
        with do.loop(p) as k:
            row = builder.select(builder.icmp_unsigned("<", k, d), k, stride)
            row = builder.mul(row, stride)
            to_row = builder.add(first, builder.mul(k, p))
            with do.loop(k) as m:
                v = source.at(builder.add(row, m))
                target.add(builder.add(to_row, m), v)
                target.add(builder.add(builder.add(first, builder.mul(m, p)), k), v)
            target.add(builder.add(to_row, k), source.at(builder.add(row, k)))
        return context.get_dummy_value()

    return types.void(sums, d, H, number, p), generate


@intrinsic
def part(typing_context, x, start, size):
    """x[start : start + size], which must be inside of x: nothing is tested.

    The view does not count as a reference: x belongs to the caller. A count takes twenty cycles.
    """

    def generate(context, builder, signature, args):
        kind = signature.return_type
        whole, view = context.make_array(kind)(context, builder, args[0]), context.make_array(kind)(context, builder)
        populate_array(
            view,
            data=builder.gep(whole.data, [args[1]], inbounds=True),
            shape=[args[2]],
            strides=[whole.itemsize],
            itemsize=whole.itemsize,
            meminfo=None,
        )
        return view._getvalue()

    return x(x, start, size), generate


class _Loops:
    """Loops and arguments of one intrinsic."""

    def __init__(self, context, builder, signature, args):
        self.context, self.builder = context, builder
        self.signature, self.args = signature, args

    def vectors(self, *which):
        return [_Vector(self.context, self.builder, self.signature.args[a], self.args[a]) for a in which]

    def whole(self, number):
        return ir.Constant(self.context.get_value_type(types.uintp), number)

    @contextmanager
    def loop(self, end, step=1):
        """Over 0, step, 2 step, ..., less than ``end``."""
        with cgutils.for_range_slice(self.builder, self.whole(0), end, self.whole(step)) as (i, _):
            yield i

    def columns(self, n, d, k, start):
        """The columns k, ..., k + 3."""
        builder, four = self.builder, []
        last = builder.sub(d, self.whole(1))
        for b in FOUR:
            number = builder.add(k, self.whole(b))
            inside = builder.icmp_unsigned("<", number, d)
            number = builder.select(inside, number, last)
            four.append(_Column(number, inside, builder.add(builder.mul(number, n), start)))
        return four


@dataclass(frozen=True)
class _Column:
    """Its number, whether it is one of the table's and not the last one once more, and where the rows begin."""

    number: ir.Value
    inside: ir.Value
    place: ir.Value


class _Vector:
    """The entries of a contiguous vector, in float64."""

    def __init__(self, context, builder, kind, value):
        assert kind.layout == "C"
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.data, self.size = builder, array.data, array.nitems

    def at(self, i):
        x = self.builder.load(self.builder.gep(self.data, [i], inbounds=True))
        return x if x.type == NUMBER else self.builder.fpext(x, NUMBER)

    def set(self, i, x):
        self.builder.store(x, self.builder.gep(self.data, [i], inbounds=True))

    def add(self, i, x):
        self.set(i, self.builder.fadd(self.at(i), x, flags=FUSE))


class _Totals:
    """Sums that may be reordered, of numbers or of products of two."""

    def __init__(self, builder, count):
        self.builder = builder
        self.places = [cgutils.alloca_once(builder, NUMBER) for _ in range(count)]
        for place in self.places:
            builder.store(ZERO, place)

    def add(self, number, a, b=None):
        term = a if b is None else self.builder.fmul(a, b, flags=REORDER)
        self.builder.store(self.builder.fadd(self.at(number), term, flags=REORDER), self.places[number])

    def at(self, number):
        return self.builder.load(self.places[number])
