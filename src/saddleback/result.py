"""The result of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ._types import Vector
from .errors import MissingDependencyError
from .storage import Parts, Reader, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Items of a result besides its fields: fields under SciPy's names.
DERIVED = ["success", "x", "fun", "nit", "nfev", "njev"]

# The fields by their types, as they are stored; and the least that some may be.
VECTORS = ("w", "dual", "losses", "reach")
NUMBERS = ("value", "lower_bound", "gap", "radius", "gap_estimate")
COUNTS = ("n_iter", "n_evals", "n_values", "n_inner")
LEAST = {"radius": 0.0}


class Status(Enum):
    """Why a run ended."""

    CONVERGED = "converged"
    MAX_ITER = "iteration limit"
    TIME_LIMIT = "time limit"
    STALLED = "stalled"
    STATIONARY = "stationary, losses not convex"
    INTERRUPTED = "interrupted"
    UNBOUNDED = "unbounded"
    NUMERICAL_ERROR = "numerical error"


def region_in_words(reach: Vector) -> str:
    """The region with these semi-axes, for messages."""
    near = reach[np.isfinite(reach)]
    if near.size == 0:
        return "everywhere"
    least, most = f"{near.min():.3g}", f"{near.max():.3g}"
    span = f"within {least} of w" if least == most else f"within {least} to {most} of w"
    if near.size < reach.size:
        return f"{span} along {near.size} of {reach.size} parameters, everywhere along the others"
    return span if least == most else f"{span}, depending on the parameter"


@dataclass(frozen=True, eq=False)
class History:
    """One entry per iteration, the start included: arrays of equal length. ``time`` is in seconds since the call."""

    time: Vector
    value: Vector
    gap: Vector
    n_evals: np.ndarray[Any, np.dtype[np.int64]]
    inner_gap: Vector
    inner_iter: np.ndarray[Any, np.dtype[np.int64]]

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, eq=False)
class Result:
    """The answer of a run, and how far it can be from the optimum: its best point, with "algorithm-1" its last one.

    Attributes
    ----------
    w : (d,) array
        The parameters.
    dual : (J,) array
        lam, the weights that prove the bound: <lam, f(v)> - R(lam) >= lower_bound for every v within ``radius`` of w.
        A matrix on the spectrahedron, as are the losses.
    value : float
        g(w) = max over lam of <lam, f(w)> - R(lam), where a reference r of the problem is subtracted from f(w).
        Value and losses are nan where a run ended before its first evaluation did; w is then its start.
    losses : (J,) array
        f(w), not less the problem's reference.
    lower_bound, gap : float
        g(v) >= lower_bound for every v within ``radius`` of w; gap = value - lower_bound. A gap of inf means that
        the losses were found not to be convex, and nothing is certified.
    radius : float
        The radius of the region of the bound, in the problem's metric; inf where it holds everywhere.
    reach : (d,) array
        The bound holds wherever sum_i ((v_i - w_i)/reach_i)^2 <= 1: the semi-axes of its region, one per parameter;
        ``radius`` is the least of them.
    gap_estimate : float
        An estimate of value - optimum without a guarantee, from the decrease that the last step's model predicted;
        never above ``gap``.
    certified : bool
        Whether the run converged by its certified gap; False where it ended by an estimate, or otherwise.
    n_iter, n_evals, n_values, n_inner : int
        Iterations; evaluations of f with its Jacobian; evaluations of f alone; iterations of the inner solver.
    x, fun, nit, nfev, njev
        SciPy's names for w, value, n_iter, n_evals + n_values (evaluations of f) and n_evals (of its Jacobian).
        Every attribute is also an item, as in SciPy's OptimizeResult: ``result["x"]``.
    """

    w: Vector
    dual: Vector
    value: float
    losses: Vector
    lower_bound: float
    gap: float
    radius: float
    reach: Vector
    gap_estimate: float
    certified: bool
    status: Status
    message: str
    method: str
    n_iter: int
    n_evals: int
    n_values: int
    n_inner: int
    history: History = field(repr=False)

    @property
    def success(self) -> bool:
        """Whether the run has converged."""
        return self.status is Status.CONVERGED

    @property
    def x(self) -> Vector:
        """w."""
        return self.w

    @property
    def fun(self) -> float:
        """The value, g(w)."""
        return self.value

    @property
    def nit(self) -> int:
        """n_iter."""
        return self.n_iter

    @property
    def nfev(self) -> int:
        """The evaluations of f, with or without its Jacobian."""
        return self.n_evals + self.n_values

    @property
    def njev(self) -> int:
        """The evaluations of the Jacobian: n_evals."""
        return self.n_evals

    def keys(self) -> list[str]:
        """The names of all items."""
        return [f.name for f in fields(self)] + DERIVED

    def __getitem__(self, key: str) -> Any:
        if key in self:
            return getattr(self, key)
        raise KeyError(f"a result has no {key!r}; it has {', '.join(self.keys())}")

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    # There is no __len__: NumPy would take a result for a sequence.
    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def items(self) -> list[tuple[str, Any]]:
        """Names and values."""
        return [(key, getattr(self, key)) for key in self.keys()]

    def get(self, key: str, default: Any = None) -> Any:
        """The item of this name, or the default."""
        return getattr(self, key) if key in self else default

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON (inf and nan as they are)."""
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "history"}
        plain |= {name: plain[name].tolist() for name in ("w", "dual", "losses", "reach")}
        plain["status"] = self.status.name
        plain["success"] = self.success
        plain["history"] = {f.name: getattr(self.history, f.name).tolist() for f in fields(self.history)}
        return plain

    def save(self, path: str | PathLike[str]) -> None:
        """Write the result to a file, which `saddleback.load` reads.

        It is written in one atomic step: as a whole, or what was there stays. The format is safetensors, which other
        programs read (docs/files.md), and nothing in it is executed.

        Parameters
        ----------
        path : path
            The file. Its folder must exist; a file of this program is replaced, any other one is refused.

        Examples
        --------
        >>> import os, tempfile
        >>> import numpy as np
        >>> import saddleback as sb
        >>> result = sb.minimax(lambda w: [w @ w, (w - 1) @ (w - 1)], np.zeros(2), jac=lambda w: [2 * w, 2 * w - 2])
        >>> path = os.path.join(tempfile.mkdtemp(), "result.safetensors")
        >>> result.save(path)
        >>> sb.load(path).value == result.value
        True
        """
        parts = Parts()
        self.to_parts(parts)
        save(path, "result", parts.texts, parts.arrays)

    def to_parts(self, parts: Parts) -> None:
        """Add what `from_parts` reads to the parts of a file."""
        for name in VECTORS:
            parts.array(name, getattr(self, name))
        for name in NUMBERS:
            parts.number(name, getattr(self, name))
        for name in COUNTS:
            parts.count(name, getattr(self, name))
        parts.flag("certified", self.certified)
        parts.text("status", self.status.name)
        parts.text("message", self.message)
        parts.text("method", self.method)
        history = parts.under("history")
        for column in fields(History):
            history.array(column.name, getattr(self.history, column.name))

    @classmethod
    def from_parts(cls, reader: Reader) -> Result:
        """The result that `to_parts` has put into a file; `saddleback.storage.Unreadable` where it is not one."""
        w = reader.vector("w")
        dual = reader.array("dual", np.float64)
        n = len(dual) if dual.ndim == 2 else None
        if dual.ndim not in (1, 2) or dual.size == 0 or dual.shape not in ((dual.size,), (n, n)):
            raise reader.wrong("dual", "a vector or a square matrix", str(dual.shape))
        if not np.isfinite(dual).all():
            raise reader.wrong("dual", "finite numbers", "nan or inf")
        numbers: dict[str, Any] = {name: reader.number(name, minimum=LEAST.get(name, -np.inf)) for name in NUMBERS}
        reach = reader.vector("reach", w.size, finite=False)
        if not (reach >= 0.0).all():
            raise reader.wrong("reach", "lengths >= 0", "others")
        counts: dict[str, Any] = {name: reader.count(name) for name in COUNTS}
        history = reader.under("history")
        columns: dict[str, Any] = {}
        length: int | None = None
        for column in fields(History):
            if column.name in ("n_evals", "inner_iter"):
                columns[column.name] = history.counts(column.name, length)
            else:
                columns[column.name] = history.vector(column.name, length, finite=False)
            length = len(columns[column.name])
        return cls(
            w=w,
            dual=dual,
            losses=reader.array("losses", np.float64, dual.shape),
            reach=reach,
            **numbers,
            certified=reader.flag("certified"),
            status=Status[reader.word("status", Status.__members__)],
            message=reader.text("message"),
            method=reader.text("method"),
            **counts,
            history=History(**columns),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the certified gap, and the value less its final bound, against time."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise MissingDependencyError(
                "Result.plot needs matplotlib; install it with: pip install 'saddleback[plot]'"
            ) from error
        if ax is None:
            ax = plt.subplots()[1]
        history = self.history
        certified = np.isfinite(history.gap) & (history.gap > 0)
        ax.semilogy(
            history.time[certified], history.gap[certified], label=f"gap certified {region_in_words(self.reach)}"
        )
        if np.isfinite(self.lower_bound):
            above = history.value - self.lower_bound
            ax.semilogy(history.time[above > 0], above[above > 0], label="value - final lower bound")
        ax.set_xlabel("seconds")
        ax.set_ylabel("gap")
        ax.set_title(f"{self.method}: {self.status.value}")
        ax.legend()
        return ax

    def __str__(self) -> str:
        bound = f"gap {self.gap:.3g} ({region_in_words(self.reach)})" if np.isfinite(self.gap) else "no certificate"
        return (
            f"{self.status.name}: value {self.value:.8g}, {bound}; {self.method}, {self.n_iter} iterations, "
            f"{self.n_evals} evaluations. {self.message}"
        )
