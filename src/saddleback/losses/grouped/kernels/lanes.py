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

from .compiling import FUSED

NUMBER, INDEX = ir.DoubleType(), ir.IntType(64)
EIGHT = range(8)
FUSE = tuple(sorted(FUSED))


@intrinsic
def add_along(typing_context, table, begin, distance, count, factors, first, sums, target, wanted, lanes):
    """sums[target + r] += sum_(i < count) table[begin + r distance + i] factors[first + i] for r < wanted <= 8.

    Entries of ``factors`` and ``sums`` are vectors of ``lanes`` numbers, 8 or 16. Eight stretches of the table are
    read, whatever is wanted.
    """

    def generate(context, builder, signature, args):
        do = _Lanes(context, builder, signature, args)
        table, factors, sums = do.array(0), do.array(4), do.array(6)
        begin, distance, count, first, target, wanted, lanes = (args[k] for k in (1, 2, 3, 5, 7, 8, 9))
        starts, start = [], begin
        for _ in EIGHT:
            starts.append(builder.gep(table, [start], inbounds=True))
            start = builder.add(start, distance)

        def multiply(stripe, width):
            totals = do.totals(width)
            with do.loop(count) as i:
                right = do.vectors(factors, builder.add(first, i), lanes, stripe, width)
                for r in EIGHT:
                    do.add_products(totals[r], builder.gep(starts[r], [i], inbounds=True), right)
            do.add_to(sums, target, wanted, lanes, stripe, totals)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    arguments = table, begin, distance, count, factors, first, sums, target, wanted, lanes
    return types.void(*arguments), generate


@intrinsic
def add_across(typing_context, table, begin, distance, rows, start, count, factors, first, sums, target, wanted, lanes):
    """sums[target + r] += sum_(i < count) table[begin + rows[start + i] distance + r] factors[first + i], r < wanted.

    As `add_along`, but eight neighbors are read at each of the places that ``rows`` names.
    """

    def generate(context, builder, signature, args):
        do = _Lanes(context, builder, signature, args)
        table, rows, factors, sums = do.array(0), do.array(3), do.array(6), do.array(8)
        begin, distance, start, count, first, target, wanted, lanes = (args[k] for k in (1, 2, 4, 5, 7, 9, 10, 11))
        table = builder.gep(table, [begin], inbounds=True)
        rows = builder.gep(rows, [start], inbounds=True)

        def multiply(stripe, width):
            totals = do.totals(width)
            with do.loop(count) as i:
                right = do.vectors(factors, builder.add(first, i), lanes, stripe, width)
                row = builder.load(builder.gep(rows, [i], inbounds=True))
                place = builder.gep(table, [builder.mul(row, distance)], inbounds=True)
                for r in EIGHT:
                    do.add_products(totals[r], builder.gep(place, [do.whole(r)], inbounds=True), right)
            do.add_to(sums, target, wanted, lanes, stripe, totals)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    arguments = table, begin, distance, rows, start, count, factors, first, sums, target, wanted, lanes
    return types.void(*arguments), generate


@intrinsic
def add_multiple(typing_context, sums, target, x, factors, first, lanes):
    """sums[target] += x factors[first], vectors of 8 or 16 lanes."""

    def generate(context, builder, signature, args):
        do = _Lanes(context, builder, signature, args)
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
        do = _Lanes(context, builder, signature, args)
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
        do = _Lanes(context, builder, signature, args)
        x, rows, coefficients, scaled, sums = (do.array(k) for k in (0, 1, 3, 6, 7))
        start, first, count, target, lanes = (args[k] for k in (2, 4, 5, 8, 9))
        rows = builder.gep(rows, [start], inbounds=True)
        coefficients = builder.gep(coefficients, [first], inbounds=True)

        def multiply(stripe, width):
            totals = do.zeros(width)
            with do.loop(count) as i:
                factor = do.in_lanes(builder.load(builder.gep(coefficients, [i], inbounds=True)))
                row = builder.load(builder.gep(rows, [i], inbounds=True))
                for v, vector in enumerate(do.vectors(x, row, lanes, stripe, width)):
                    product = builder.fmul(factor, vector, flags=FUSE)
                    do.store(scaled, i, lanes, stripe, v, product)
                    builder.store(builder.fadd(builder.load(totals[v]), product), totals[v])
            do.add_one(sums, target, lanes, stripe, totals)

        do.stripes(lanes, multiply)
        return context.get_dummy_value()

    return types.void(x, rows, start, coefficient, first, count, scaled, sums, target, lanes), generate


def vector_numbers(context) -> int:
    """Numbers in a register of the CPU for which is compiled: its features are named in a text."""
    features = context.codegen().magic_tuple()[2].split(",")
    return 8 if "+avx512f" in features else 4 if "+avx" in features else 2


class _Lanes:
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

    def loop(self, end, step=1):
        """Over 0, step, 2 step, ..., less than ``end``."""
        return _Loop(self.builder, self.whole(0), end, self.whole(step))

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

    def totals(self, width):
        """Eight sums of zero, of so many registers each."""
        return [self.zeros(width) for _ in EIGHT]

    def zeros(self, width):
        zero = ir.Constant(self.kind, [0.0] * self.numbers)
        places = [cgutils.alloca_once(self.builder, self.kind) for _ in range(width)]
        for place in places:
            self.builder.store(zero, place)
        return places

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
