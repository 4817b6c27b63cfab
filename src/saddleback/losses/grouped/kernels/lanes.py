"""Sums for several parameter vectors at once, in the compiler's vector instructions.

A *lane* belongs to one parameter vector. Numbers of all lanes are side by side, so that one instruction works on eight
parameter vectors, and a lane's sums are in the same order whatever the other lanes hold, and however many they are.
Tables and sums are flat arrays of float64, with places and sizes as unsigned whole numbers of 64 bits; nothing is
tested.

Eight sums of all lanes are held in registers at a time. On a CPU with AVX-512 they take sixteen of its 32 registers
for sixteen lanes: 50 Gflop/s per core where BLAS reached 61 on large square matrices, and 22 on these shapes.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .arithmetic import vector_numbers
from .compiling import FUSED

NUMBER, INDEX = ir.DoubleType(), ir.IntType(64)
FOUR, EIGHT = range(4), range(8)
SECOND_CACHE = 2
"""The compiler's number for it: 3 would be the first cache."""
FUSE = tuple(sorted(FUSED))


@intrinsic
def add_along(typing_context, table, begin, distance, count, factors, first, sums, target, wanted, lanes):
    """sums[target + r] += sum_(i < count) table[begin + r distance + i] factors[first + i] for r < wanted <= 8.

    Entries of ``factors`` and ``sums`` are vectors of ``lanes`` numbers, 8 or 16. Eight stretches of the table are
    read, whatever is wanted.
    """

    def generate(context, builder, signature, args):
        do = Lanes(context, builder, signature, args)
        target, wanted, lanes = args[7:]
        sums = do.array(6)

        def multiply(stripe, width):
            totals = do.totals(width)
            do.multiply_along(totals, lanes, stripe, width)
            do.add_to(sums, target, wanted, lanes, stripe, totals)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    arguments = table, begin, distance, count, factors, first, sums, target, wanted, lanes
    return types.void(*arguments), generate


@intrinsic
def set_along(typing_context, table, begin, distance, count, factors, first, sums, target, base, lanes):
    """The same sums from factors[base] on instead of from those that were there, for r < 8."""

    def generate(context, builder, signature, args):
        do = Lanes(context, builder, signature, args)
        target, base, lanes = args[7:]
        factors, sums = do.array(4), do.array(6)

        def multiply(stripe, width):
            totals = do.totals(width, do.vectors(factors, base, lanes, stripe, width))
            do.multiply_along(totals, lanes, stripe, width)
            do.set_to(sums, target, lanes, stripe, totals)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    arguments = table, begin, distance, count, factors, first, sums, target, base, lanes
    return types.void(*arguments), generate


@intrinsic
def add_across(typing_context, table, begin, distance, rows, start, count, factors, first, sums, target, wanted, lanes):
    """sums[target + r] += sum_(i < count) table[begin + rows[start + i] distance + r] factors[first + i], r < wanted.

    As `add_along`, but eight neighbors are read at each of the places that ``rows`` names.
    """

    def generate(context, builder, signature, args):
        do = Lanes(context, builder, signature, args)
        target, wanted, lanes = args[9:]
        sums = do.array(8)

        def multiply(stripe, width):
            totals = do.totals(width)
            do.multiply_across(totals, lanes, stripe, width)
            do.add_to(sums, target, wanted, lanes, stripe, totals)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    arguments = table, begin, distance, rows, start, count, factors, first, sums, target, wanted, lanes
    return types.void(*arguments), generate


@intrinsic
def set_across(typing_context, table, begin, distance, rows, start, count, factors, first, sums, target, base, lanes):
    """The same sums from factors[base] on instead of from those that were there, for r < 8."""

    def generate(context, builder, signature, args):
        do = Lanes(context, builder, signature, args)
        target, base, lanes = args[9:]
        factors, sums = do.array(6), do.array(8)

        def multiply(stripe, width):
            totals = do.totals(width, do.vectors(factors, base, lanes, stripe, width))
            do.multiply_across(totals, lanes, stripe, width)
            do.set_to(sums, target, lanes, stripe, totals)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    arguments = table, begin, distance, rows, start, count, factors, first, sums, target, base, lanes
    return types.void(*arguments), generate


@intrinsic
def add_multiple(typing_context, sums, target, x, factors, first, lanes):
    """sums[target] += x factors[first], vectors of 8 or 16 lanes."""

    def generate(context, builder, signature, args):
        do = Lanes(context, builder, signature, args)
        sums, factors = do.array(0), do.array(3)
        target, x, first, lanes = (args[k] for k in (1, 2, 4, 5))

        def multiply(stripe, width):
            left = do.vectors(sums, target, lanes, stripe, width)
            right = do.vectors(factors, first, lanes, stripe, width)
            x_in_lanes = do.in_lanes(x)
            for v in range(width):
                product = builder.fmul(x_in_lanes, right[v], flags=FUSE)
                total = builder.fadd(left[v], product, flags=FUSE)
                do.store(sums, target, lanes, stripe, v, total)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    return types.void(sums, target, x, factors, first, lanes), generate


@intrinsic
def fill(typing_context, x, begin, number, lanes):
    """x[begin] = number in all of its 8 or 16 lanes."""

    def generate(context, builder, signature, args):
        do = Lanes(context, builder, signature, args)
        array = do.array(0)
        begin, number, lanes = args[1:]

        def write(stripe, width):
            for v in range(width):
                do.store(array, begin, lanes, stripe, v, do.in_lanes(number))

        do.stripes(lanes, write)
        return context.get_dummy_value()

    return types.void(x, begin, number, lanes), generate


@intrinsic
def weigh_lanes(typing_context, x, rows, start, coefficient, first, count, scaled, sums, target, lanes):
    """scaled[i] = coefficient[first + i] x[rows[start + i]] for i < count, and sums[target] += their sum."""

    def generate(context, builder, signature, args):
        _weigh(Lanes(context, builder, signature, args), args[:6], args[7:], args[6])
        return context.get_dummy_value()

    return types.void(x, rows, start, coefficient, first, count, scaled, sums, target, lanes), generate


@intrinsic
def sum_lanes(typing_context, x, rows, start, coefficient, first, count, sums, target, lanes):
    """The sum alone."""

    def generate(context, builder, signature, args):
        _weigh(Lanes(context, builder, signature, args), args[:6], args[6:])
        return context.get_dummy_value()

    return types.void(x, rows, start, coefficient, first, count, sums, target, lanes), generate


def _weigh(do, of_rows, of_sums, scaled=None):
    """Four rows at a time have sums of their own, so that none waits for the one before."""
    builder = do.builder
    x, rows, coefficients = (do.array(k) for k in (0, 1, 3))
    start, first, count = of_rows[2], of_rows[4], of_rows[5]
    sums, (target, lanes) = do.array(6 if scaled is None else 7), of_sums[1:]
    scaled = None if scaled is None else do.array(6)
    rows = builder.gep(rows, [start], inbounds=True)
    coefficients = builder.gep(coefficients, [first], inbounds=True)
    whole = builder.and_(count, do.whole(~3))

    def multiply(stripe, width):
        totals = [do.zeros(width) for _ in FOUR]

        def add(i, total):
            factor = do.in_lanes(builder.load(builder.gep(coefficients, [i], inbounds=True)))
            row = builder.load(builder.gep(rows, [i], inbounds=True))
            for v, vector in enumerate(do.vectors(x, row, lanes, stripe, width)):
                product = builder.fmul(factor, vector)
                if scaled is not None:
                    do.store(scaled, i, lanes, stripe, v, product)
                builder.store(builder.fadd(builder.load(total[v]), product), total[v])

        with do.loop(whole, 4) as i:
            for r in FOUR:
                add(builder.add(i, do.whole(r)), totals[r])
        with do.loop(count, start=whole) as i:
            add(i, totals[0])
        for v in range(width):
            a, b, c, d = (builder.load(total[v]) for total in totals)
            builder.store(builder.fadd(builder.fadd(a, b), builder.fadd(c, d)), totals[0][v])
        do.add_one(sums, target, lanes, stripe, totals[0])

    do.stripes(lanes, multiply)


@intrinsic
def copy_stretch(typing_context, X, row, column, count, copy, target):
    """copy[target + i] = the i-th number of a matrix from an entry on, in its order in memory, for i < count."""

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        source, number = _entry(builder, array, *args[1:3]), array.data.type
        source = builder.bitcast(source, number)
        target = context.make_array(signature.args[4])(context, builder, args[4])
        target = builder.gep(target.data, [args[5]], inbounds=True)
        with _Loop(builder, ir.Constant(INDEX, 0), args[3], ir.Constant(INDEX, 1)) as i:
            x = builder.load(builder.gep(source, [i], inbounds=True))
            x = x if x.type == NUMBER else builder.fpext(x, NUMBER)
            builder.store(x, builder.gep(target, [i], inbounds=True))
        return context.get_dummy_value()

    return types.void(X, row, column, count, copy, target), generate


@intrinsic
def ask_for(typing_context, X, row, column):
    """Ask for the line of the second cache that holds an entry of a matrix, which is read some time later."""

    def generate(context, builder, signature, args):
        byte = _entry(builder, context.make_array(signature.args[0])(context, builder, args[0]), *args[1:])
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte.type, flag, flag, flag])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte.type], kind)
        builder.call(prefetch, [byte, *(ir.Constant(flag, number) for number in (0, SECOND_CACHE, 1))])
        return context.get_dummy_value()

    return types.void(X, row, column), generate


def _entry(builder, array, row, column):
    """The first byte of an entry of a matrix."""
    strides = cgutils.unpack_tuple(builder, array.strides)
    offset = builder.add(builder.mul(row, strides[0]), builder.mul(column, strides[1]))
    return builder.gep(builder.bitcast(array.data, ir.IntType(8).as_pointer()), [offset])


class Lanes:
    """Vectors of lanes, in the arguments of one intrinsic."""

    def __init__(self, context, builder, signature, args):
        self.context, self.builder = context, builder
        self.signature, self.args = signature, args
        self.numbers = vector_numbers(context)
        self.kind = ir.VectorType(NUMBER, self.numbers)

    def array(self, argument):
        """Where the numbers of a contiguous array are."""
        kind = self.signature.args[argument]
        assert kind.layout == "C"
        return self.context.make_array(kind)(self.context, self.builder, self.args[argument]).data

    @staticmethod
    def whole(number):
        return ir.Constant(INDEX, number)

    def loop(self, end, step=1, start=None):
        """Over 0, step, 2 step, ..., less than ``end``, or from ``start`` on."""
        return _Loop(self.builder, self.whole(0) if start is None else start, end, self.whole(step))

    def stripes(self, lanes, work):
        """``work(stripe, width)`` for stripes of registers: two at a time where there are 32 of them."""
        if self.numbers < 8:
            with self.loop(lanes, self.numbers) as stripe:
                work(stripe, 1)
            return
        both = self.builder.icmp_unsigned(">", lanes, self.whole(self.numbers))
        with self.builder.if_else(both) as (two, one):
            with two:
                work(self.whole(0), 2)
            with one:
                work(self.whole(0), 1)

    def place(self, array, entry, lanes, stripe, v):
        number = self.builder.add(self.builder.mul(entry, lanes), stripe)
        number = self.builder.add(number, self.whole(v * self.numbers))
        return self.builder.bitcast(self.builder.gep(array, [number], inbounds=True), self.kind.as_pointer())

    def vectors(self, array, entry, lanes, stripe, width):
        return [self.builder.load(self.place(array, entry, lanes, stripe, v), align=8) for v in range(width)]

    def store(self, array, entry, lanes, stripe, v, x):
        self.builder.store(x, self.place(array, entry, lanes, stripe, v), align=8)

    def in_lanes(self, x):
        """A number in all lanes."""
        nothing = ir.Constant(self.kind, ir.Undefined)
        first = self.builder.insert_element(nothing, x, ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), self.numbers), [0] * self.numbers)
        return self.builder.shuffle_vector(first, nothing, everywhere)

    def totals(self, width, start=None):
        """Eight sums of so many registers each, of zero or of what they start with."""
        return [self.zeros(width, start) for _ in EIGHT]

    def zeros(self, width, start=None):
        zero = ir.Constant(self.kind, [0.0] * self.numbers)
        places = [cgutils.alloca_once(self.builder, self.kind) for _ in range(width)]
        for v, place in enumerate(places):
            self.builder.store(zero if start is None else start[v], place)
        return places

    def multiply_along(self, totals, lanes, stripe, width):
        """Add the products of `add_along`, whose first six arguments are this intrinsic's."""
        builder, table, factors = self.builder, self.array(0), self.array(4)
        start, distance, count, first = (self.args[k] for k in (1, 2, 3, 5))
        starts = []
        for _ in EIGHT:
            starts.append(builder.gep(table, [start], inbounds=True))
            start = builder.add(start, distance)
        with self.loop(count) as i:
            right = self.vectors(factors, builder.add(first, i), lanes, stripe, width)
            for r in EIGHT:
                self.add_products(totals[r], builder.gep(starts[r], [i], inbounds=True), right)
            self.end_of_body()

    def multiply_across(self, totals, lanes, stripe, width):
        """Add the products of `add_across`, whose first eight arguments are this intrinsic's."""
        builder, table, rows, factors = self.builder, self.array(0), self.array(3), self.array(6)
        begin, distance, start, count, first = (self.args[k] for k in (1, 2, 4, 5, 7))
        table = builder.gep(table, [begin], inbounds=True)
        rows = builder.gep(rows, [start], inbounds=True)
        with self.loop(count) as i:
            right = self.vectors(factors, builder.add(first, i), lanes, stripe, width)
            row = builder.load(builder.gep(rows, [i], inbounds=True))
            place = builder.gep(table, [builder.mul(row, distance)], inbounds=True)
            for r in EIGHT:
                self.add_products(totals[r], builder.gep(place, [self.whole(r)], inbounds=True), right)
            self.end_of_body()

    def add_products(self, of_sum, place, right):
        """Add the number at a place times the vectors."""
        x = self.in_lanes(self.builder.load(place))
        for total, vector in zip(of_sum, right, strict=True):
            product = self.builder.fmul(x, vector, flags=FUSE)
            self.builder.store(self.builder.fadd(self.builder.load(total), product, flags=FUSE), total)

    def add_to(self, sums, target, wanted, lanes, stripe, totals):
        for r in EIGHT:
            with self.builder.if_then(self.builder.icmp_unsigned("<", self.whole(r), wanted)):
                self.add_one(sums, self.builder.add(target, self.whole(r)), lanes, stripe, totals[r])

    def end_of_body(self):
        """No instruction, which the compiler does not repeat: sixteen sums of two rows at a time do not fit."""
        self.builder.call(ir.InlineAsm(ir.FunctionType(ir.VoidType(), []), "", "", side_effect=True), [])

    def set_to(self, sums, target, lanes, stripe, totals):
        for r in EIGHT:
            for v, total in enumerate(totals[r]):
                place = self.builder.add(target, self.whole(r))
                self.store(sums, place, lanes, stripe, v, self.builder.load(total))

    def add_one(self, sums, target, lanes, stripe, totals):
        before = self.vectors(sums, target, lanes, stripe, len(totals))
        for v, total in enumerate(totals):
            self.store(sums, target, lanes, stripe, v, self.builder.fadd(before[v], self.builder.load(total)))


class _Loop:
    """A context manager whose variable is the loop's index."""

    def __init__(self, builder, start, end, step):
        self._range = cgutils.for_range_slice(builder, start, end, step)

    def __enter__(self):
        return self._range.__enter__()[0]

    def __exit__(self, *error):
        return self._range.__exit__(*error)
