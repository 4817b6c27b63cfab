"""Runs the cells of the tables, each once, with one table of data in memory at a time; a failure ends one cell only."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np

from ..dual_sets import Simplex
from ..engine.progress import Progress
from ..errors import ConvergenceWarning, IncompatibleError
from ..machine.resources import free_memory
from ..methods import refuse_without_losses
from ..regularizers import Quadratic
from ..result import Result, Status
from ..solve import solve
from .cache import Cache
from .cell import Cell, Curve
from .contestants import CONTESTANTS, DEFAULT
from .recipe import PaperData, Recipe

# Below every gap of the tables: the default method converges to it, the other methods run all their iterations.
TOL = 1e-10
REFERENCE_ITERATIONS = 1000
# A run is repeated up to REPEATS times within SHORT seconds; the run of median length is reported.
REPEATS, SHORT = 3, 0.7
TIME_LIMIT = 900.0
# Memory of a cell: the table with 15 % for work arrays, and 200 MB for the interpreter and the libraries.
MEMORY_FACTOR, MEMORY_BASE = 1.15, 200 * 2**20
NOT_APPLICABLE = "N/A"


def silent(text: str) -> None:
    """Discard a message."""


class Laboratory:
    """Runs cells and keeps their curves.

    Parameters
    ----------
    cache : Cache
        Stores the cells that have run. Failed cells are not stored, so that the next attempt runs them again.
    tell : callable
        Called with a message before each piece of work.
    max_memory : float, optional
        Bytes that the data may take; by default the free memory.
    repeats : int
        The largest number of repeats of a short run.
    """

    def __init__(
        self,
        cache: Cache,
        tell: Callable[[str], None] = silent,
        max_memory: float | None = None,
        repeats: int = REPEATS,
    ) -> None:
        self._cache = cache
        self._tell = tell
        self._max_memory = max_memory
        self._repeats = repeats
        self._data: PaperData | None = None
        self._curves: dict[Cell, Curve] = {}
        self._warm = False

    def curve(self, cell: Cell) -> Curve:
        """The curve of a cell, from memory, from the cache or from a new run."""
        if cell not in self._curves:
            curve = self._cache.load(cell)
            if curve is None:
                curve = self._attempt(cell)
                if not curve.failure:
                    self._cache.save(cell, curve)
            self._curves[cell] = curve
        return self._curves[cell]

    def reference(self, recipe: Recipe, gamma: float) -> Curve:
        """The optimum: a run of the default method to a gap of 1e-10."""
        return self.curve(reference_cell(recipe, gamma))

    def forget_data(self) -> None:
        """Free the memory of the table."""
        self._data = None

    def _attempt(self, cell: Cell) -> Curve:
        needed = MEMORY_FACTOR * cell.recipe.nbytes + MEMORY_BASE
        try:
            check_applies(cell)
            if self._data is None or self._data.recipe != cell.recipe:
                self._data = None
                # Where the system overcommits memory, an allocation beyond it ends the process, not the cell.
                limit = free_memory() if self._max_memory is None else self._max_memory
                if needed > limit:
                    return Curve(failure=f"not enough memory: {_gigabytes(needed)} needed, {_gigabytes(limit)} there")
                self._tell(f"data, d = {cell.recipe.d}, J = {cell.recipe.J}")
                self._data = cell.recipe.generate()
            return self._run(cell, self._data)
        except MemoryError:
            self._data = None
            return Curve(failure=f"not enough memory: {_gigabytes(needed)} needed")
        except IncompatibleError as error:
            return Curve(failure=f"{NOT_APPLICABLE}: {str(error).split(';')[0]}")
        except Exception as error:
            # The other cells may be hours of work: go on, and name the error in the table.
            return Curve(failure=f"failed: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")

    def _run(self, cell: Cell, data: PaperData) -> Curve:
        target = -np.inf
        if cell.epsilon is not None:
            reference = self.reference(cell.recipe, cell.gamma)
            if reference.objective is None:
                return Curve(failure=f"no reference: {reference.failure}")
            target = reference.objective + cell.epsilon
        self._warm_up(cell)
        self._tell(cell.title)
        runs: list[Curve] = []
        started = time.perf_counter()
        while len(runs) < self._repeats and (not runs or time.perf_counter() - started < SHORT):
            runs.append(_curve(run_cell(cell, data, target)))
        return sorted(runs, key=lambda run: run.time[-1])[len(runs) // 2]

    def _warm_up(self, cell: Cell) -> None:
        """Run every method on a small problem, so that no cell is timed with imports and compilation."""
        if self._warm:
            return
        self._warm = True
        self._tell("warming up")
        toy = Recipe(d=12, J=3, N=20, dtype=cell.recipe.dtype).generate()
        for name in CONTESTANTS:
            run_cell(Cell(toy.recipe, 0.1, name, 5), toy, -np.inf)


def reference_cell(recipe: Recipe, gamma: float) -> Cell:
    return Cell(recipe, gamma, DEFAULT, REFERENCE_ITERATIONS)


def check_applies(cell: Cell) -> None:
    """Raise an IncompatibleError if the method cannot solve such a problem, before the data are generated."""
    method = cell.contestant.method(1.0)
    if not isinstance(method, str):
        refuse_without_losses(method, Simplex(), Quadratic(cell.gamma))


def run_cell(cell: Cell, data: PaperData, target: float) -> Result:
    """One run to the target value; L is given to the method, as in the paper."""
    reached = False

    def arrived(now: Progress) -> bool:
        nonlocal reached
        reached = now.n_iter > 0 and now.value <= target
        return reached

    contestant = cell.contestant
    method, problem = contestant.method(data.L), data.problem(cell.gamma)
    with warnings.catch_warnings():
        # Runs stop at the target or at their iterations, not on a certificate.
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = solve(
            problem,
            method=method,
            inner=contestant.inner,
            tol=TOL,
            max_iter=cell.max_iter,
            time_limit=TIME_LIMIT,
            callback=arrived,
        )
    if result.status is Status.INTERRUPTED and not reached:
        # ``solve`` returns a result after Ctrl-C as well: do not store an unfinished run.
        raise KeyboardInterrupt
    return result


def _curve(result: Result) -> Curve:
    history = result.history
    bound = float(result.lower_bound)
    return Curve(
        time=[float(t) for t in history.time],
        value=[float(v) for v in history.value],
        status=result.status.value,
        lower_bound=bound if np.isfinite(bound) else None,
    )


def _gigabytes(size: float) -> str:
    return f"{size / 2**30:.2g} GB"
