"""Products of sets: one adversary for each block of losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

import numpy as np
from scipy.linalg import block_diag

from .._types import Matrix, Vector
from ..capabilities import lack, offers
from ..errors import ProblemError, warn_user
from ..linalg import svec
from ..linalg.hessians import Blocks, as_hessian
from ..machine.clock import Clock
from .base import DualSet, HasBarrier, HasProjection, HasTilt, Polyhedral
from .linear_constraints import LinearConstraints


class Block(NamedTuple):
    """One of the sets, and the losses that belong to it."""

    dual_set: DualSet
    size: int
    own: slice
    barrier: HasBarrier | None
    """The set, where it has a barrier; None for a single point, which needs none."""


@dataclass(frozen=True, eq=False)
class Product(DualSet):
    """{(lam_1, ..., lam_m) : lam_i in sets[i]}: one independent adversary per block of losses.

    Without a regularizer, g is the sum of the support functions of the sets, each at its own block of losses: the worst
    group plus the worst class, for example.
    The barrier is the sum of the barriers, and so is nu. A `Spectrahedron` among the sets takes k(k+1)/2 of the losses,
    in svec coordinates.

    Parameters
    ----------
    sets : sequence of DualSet
    sizes : sequence of int, optional
        How many of the losses belong to each set. Unless given, sets with a fixed dimension (by a prior, by bounds)
        have it, and the others share the remaining losses equally. A problem warns of that where these are of different
        kinds, such as a simplex and a box: equal shares are hardly meant.
    """

    sets: Sequence[DualSet]
    sizes: Sequence[int] | None = None
    _layouts: dict[int, list[Block]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        try:
            sets = tuple(self.sets)
        except TypeError:
            raise ProblemError(f"sets of Product must be a sequence of sets; got {self.sets!r}.") from None
        if not sets:
            raise ProblemError("Product needs at least one set; got none.")
        for i, dual_set in enumerate(sets):
            if not isinstance(dual_set, DualSet):
                raise ProblemError(f"sets[{i}] of Product must be a DualSet; got {dual_set!r}.")
        object.__setattr__(self, "sets", sets)
        if self.sizes is not None:
            try:
                sizes = tuple(self.sizes)
            except TypeError:
                raise ProblemError(
                    f"sizes of Product must be whole numbers, one per set; got {self.sizes!r}."
                ) from None
            if len(sizes) != len(sets) or not all(isinstance(n, int | np.integer) and n >= 1 for n in sizes):
                raise ProblemError(f"sizes of Product must be {len(sets)} whole numbers >= 1; got {self.sizes!r}.")
            object.__setattr__(self, "sizes", tuple(int(n) for n in sizes))

    @property
    def size(self) -> int | None:
        if self.sizes is not None:
            return sum(self.sizes)
        known = [dual_set.size for dual_set in self.sets]
        return None if None in known else sum(cast("list[int]", known))

    def _sizes(self, n: int) -> tuple[int, ...]:
        """How the n losses are split."""
        if self.sizes is not None:
            sizes = tuple(self.sizes)
        else:
            known = [dual_set.size for dual_set in self.sets]
            left, unknown = n - sum(size or 0 for size in known), known.count(None)
            if unknown and (left < unknown or left % unknown):
                raise ProblemError(
                    f"Product: {max(left, 0)} losses cannot be shared equally among {unknown} sets; say with "
                    "sizes=[...] how many belong to each."
                )
            sizes = tuple(left // unknown if size is None else size for size in known)
        if sum(sizes) != n:
            told = f"Product has dimension {sum(sizes)} (sizes {list(sizes)}); got {n} losses."
            raise ProblemError(told + self._sizes_of_matrices(sizes))
        return sizes

    def _sizes_of_matrices(self, sizes: tuple[int, ...]) -> str:
        """A remedy where sizes of matrices may have been taken for numbers of losses."""
        if not self.takes_matrices:
            return ""
        pairs = zip(self.sets, sizes, strict=True)
        meant = [svec.length(k) if dual_set.takes_matrices else k for dual_set, k in pairs]
        return (
            f" A set of k x k matrices takes k(k+1)/2 losses: if the sizes are those of matrices, pass sizes={meant}."
        )

    def _blocks(self, n: int) -> list[Block]:
        if n in self._layouts:
            return self._layouts[n]
        blocks, start = [], 0
        for dual_set, size in zip(self.sets, self._sizes(n), strict=True):
            is_point = len(dual_set.affine_hull(size)[0]) >= size
            barrier = dual_set if not is_point and offers(dual_set, HasBarrier) else None
            blocks.append(Block(dual_set, size, slice(start, start + size), barrier))
            start += size
        self._layouts[n] = blocks
        return blocks

    def _parts(self, x: Vector) -> list[tuple[DualSet, Vector]]:
        return [(block.dual_set, x[block.own]) for block in self._blocks(x.size)]

    @property
    def costly_support(self) -> bool:
        return any(dual_set.costly_support for dual_set in self.sets)

    @property
    def takes_matrices(self) -> bool:
        return any(dual_set.takes_matrices for dual_set in self.sets)

    @property
    def self_scaled(self) -> bool:
        return all(dual_set.self_scaled for dual_set in self.sets)

    @property
    def proves_gaps(self) -> bool:
        return all(dual_set.proves_gaps for dual_set in self.sets)

    def timed(self, clock: Clock) -> Product:
        return replace(self, sets=[dual_set.timed(clock) for dual_set in self.sets])

    def validate(self, n: int) -> None:
        sizes = self._sizes(n)
        sharing = dict.fromkeys(type(dual_set).__name__ for dual_set in self.sets if dual_set.size is None)
        if self.sizes is None and len(sharing) > 1:
            warn_user(
                f"Product of {' and '.join(sharing)} without sizes: its sets have {', '.join(map(str, sizes))} of the "
                f"{n} losses. Pass sizes=[...], one number per set."
            )
        for dual_set, size in zip(self.sets, sizes, strict=True):
            dual_set.validate(size)

    def barrier_parameter(self, n: int) -> float:
        return sum(b.barrier.barrier_parameter(b.size) for b in self._blocks(n) if b.barrier is not None)

    def barrier(self, lam: Vector) -> float:
        return sum(b.barrier.barrier(lam[b.own]) for b in self._blocks(lam.size) if b.barrier is not None)

    def barrier_gradient(self, lam: Vector) -> Vector:
        gradient = np.zeros_like(lam)
        for block in self._blocks(lam.size):
            if block.barrier is not None:
                gradient[block.own] = block.barrier.barrier_gradient(lam[block.own])
        return gradient

    def barrier_hessian(self, lam: Vector) -> Blocks:
        # Off the affine hull of a single point any positive definite matrix is allowed.
        hessians = [
            np.ones(block.size) if block.barrier is None else block.barrier.barrier_hessian(lam[block.own])
            for block in self._blocks(lam.size)
        ]
        return Blocks([as_hessian(hessian) for hessian in hessians])

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        hulls = [dual_set.affine_hull(size) for dual_set, size, *_ in self._blocks(n)]
        return block_diag(*(E for E, _ in hulls)), np.concatenate([e for _, e in hulls])

    def center(self, n: int) -> Vector:
        return np.concatenate([dual_set.center(size) for dual_set, size, *_ in self._blocks(n)])

    def tangent_part(self, z: Vector) -> Vector:
        return self._each("tangent_part", z)

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        bounds = [dual_set.bounds(size) for dual_set, size, *_ in self._blocks(n)]
        return np.concatenate([lower for lower, _ in bounds]), np.concatenate([upper for _, upper in bounds])

    def weight_range(self, n: int) -> tuple[float, float]:
        """Sums over the sets; the least is 0 where one set has negative weights, as <lam, f> is then not strongly
        convex."""
        ranges = [block.dual_set.weight_range(block.size) for block in self._blocks(n)]
        signed = any(
            least == 0.0 and block.dual_set.bounds(block.size)[0].min() < 0.0
            for block, (least, _) in zip(self._blocks(n), ranges, strict=True)
        )
        return 0.0 if signed else sum(least for least, _ in ranges), sum(largest for _, largest in ranges)

    def largest_weight(self, n: int) -> float:
        return max(dual_set.largest_weight(size) for dual_set, size, *_ in self._blocks(n))

    def support(self, z: Vector) -> tuple[float, Vector]:
        values, points = zip(*(dual_set.support(x) for dual_set, x in self._parts(z)), strict=True)
        return float(sum(values)), np.concatenate(points)

    def support_value(self, z: Vector) -> float:
        return float(sum(dual_set.support_value(x) for dual_set, x in self._parts(z)))

    def regret(self, lam: Vector, z: Vector) -> float:
        pairs = zip(self._parts(lam), self._parts(z), strict=True)
        return float(sum(dual_set.regret(x, y) for (dual_set, x), (_, y) in pairs))

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        return all(dual_set.contains(x, tol) for dual_set, x in self._parts(lam))

    def restore(self, lam: Vector) -> Vector:
        return self._each("restore", lam)

    def _each(self, name: str, x: Vector, *more: Vector) -> Vector:
        rest = [self._parts(y) for y in more]
        calls = []
        for i, (dual_set, part) in enumerate(self._parts(x)):
            calls.append(getattr(dual_set, name)(part, *(parts[i][1] for parts in rest)))
        return np.concatenate(calls)

    def lacks(self, capability: type) -> str | None:
        """A product offers what all of its sets offer."""
        if capability in (HasBarrier, HasProjection, HasTilt, Polyhedral):
            for i, dual_set in enumerate(self.sets):
                reason = lack(dual_set, capability)
                if reason is not None:
                    return f"sets[{i}] of Product does not: {reason}"
        return None

    def project(self, x: Vector) -> Vector:
        return self._each("project", x)

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        return self._each("tilt", prior, z)

    def linear_constraints(self, n: int) -> LinearConstraints:
        parts = [cast("Polyhedral", dual_set).linear_constraints(size) for dual_set, size, *_ in self._blocks(n)]
        rows = [np.zeros((0, p.lower.size)) if p.A is None else p.A for p in parts]
        some = any(len(A) for A in rows)
        return LinearConstraints(
            E=block_diag(*(p.E for p in parts)),
            e=np.concatenate([p.e for p in parts]),
            lower=np.concatenate([p.lower for p in parts]),
            upper=np.concatenate([p.upper for p in parts]),
            A=block_diag(*rows) if some else None,
            b=np.concatenate([p.b for p in parts if p.b is not None]) if some else None,
        )
