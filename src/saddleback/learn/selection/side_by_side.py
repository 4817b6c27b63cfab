"""Fits of all candidates on several splits that go on side by side and share the reads of one table."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import scipy.sparse as sp

from ...errors import ConvergenceWarning
from ...methods import AUTO, Newton, choose_method
from ...methods.auto import newton_is_cheaper
from ..data.folds import Split
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from ..fitting.prepared import each_is_a_group
from ..fitting.trainer import Trainer
from .cells import Parts
from .meeting import Meeting
from .predicted_hessians import CONTROL
from .shared_table import SharedTable
from .split_fits import Part, Pilot, SplitFits, Task
from .warm_starts import alike

LEAST_BYTES = 1 << 26
"""The size of a table in memory from which reads are shared: 64 MB, more than the cache of a few cores holds. A read of
a smaller table takes little more than its arithmetic, which is not shared."""

FEWEST_FITS = 16
"""Fits side by side from which they share the reads of a table in memory: as many as a read has lanes. A read with half
of its lanes in use gains less than half as much, and reads all rows where the fits of a fold read four of five."""

MOST_FITS = 48
"""Fits that go on at a time, each in a thread: three times as many as a read has lanes."""

MOST_ENTRIES = 1 << 25
"""Entries of the Hessians of all losses for all fits that go on at a time: 256 MB."""

ROWS_PER_CELL = 64
"""Rows of a cell on average, from which cells are read as fast as groups."""

METHODS = AUTO, "newton", "quasi-newton"
"""Methods that need no more than combinations of losses offer."""


def pays(task: Task, splits: Sequence[Split], n_jobs: int | None) -> bool:
    """Whether fits share the reads of one table: where a read takes longer than all else. By sizes alone.

    Of a table in memory only where the user has not asked for processes, each of which has its own table.
    """
    rows, setting = task.rows, task.setting
    if not task.fitted or setting.method not in METHODS or each_is_a_group(rows, setting):
        return False
    n = len(rows)
    if not isinstance(rows.X, RemoteMatrix):
        n_fits = (len(splits) - 1) * len(_chains(task))
        if n_jobs is not None or bytes_of(rows.X) < LEAST_BYTES or n_fits < FEWEST_FITS or _mostly_hessians(task):
            return False
    return len(Parts.of(splits, n).times) * len(rows.groups.names) * ROWS_PER_CELL <= n


def fitted_side_by_side(task: Task, splits: Sequence[Split]) -> Iterator[Part]:
    """The parts of all splits, in their order. They do not depend on how many go on at a time, to the last bit."""
    table = SharedTable.of(task.rows, task.setting, splits, Parts.of(splits, len(task.rows)))
    (first,) = _fitted(task, table, [0], None)
    yield first.part(task.rows.subset(splits[0][1]))
    pilot, step = first.pilot(table.together.meeting.hold), max(1, most_fits(first.trainer) // len(_chains(task)))
    del first
    for begin in range(1, len(splits), step):
        some = range(begin, min(begin + step, len(splits)))
        for split, fits in zip(some, _fitted(task, table, some, pilot), strict=True):
            yield fits.part(task.rows.subset(splits[split][1]))


def _fitted(task: Task, table: SharedTable, splits: Sequence[int], pilot: Pilot | None) -> list[SplitFits]:
    """All fits on some splits."""

    # The few fits of the pilot gain by shared reads only where a read has a latency.
    together = pilot is not None or isinstance(task.rows.X, RemoteMatrix)

    def trainer(split: int, training: Rows) -> Trainer:
        return Trainer(training, task.setting, table.prepared(split, training, together=together))

    of_splits = [SplitFits(task, table.training(split), partial(trainer, split), pilot) for split in splits]
    with warnings.catch_warnings():
        # Told once for all splits, by the caller; in this thread, as filters belong to all threads.
        warnings.simplefilter("ignore", ConvergenceWarning)
        table.together.meeting.hold([chain for fits in of_splits for chain in _chains_of(fits)])
    return of_splits


def _chains_of(fits: SplitFits) -> list[Callable[[], None]]:
    """The fits on one split, those of each penalty one after the other.

    A fit begins when that of the same candidate with the penalty before is done, from which its start is predicted. So
    starts are those of fits one by one. What is known of Hessians goes from the first fit of a penalty to the next one.
    """
    chains = _chains(fits.task)
    hessians = [fits.hessians(), *(None for _ in chains[1:])]

    def follow(number: int) -> None:
        for c, other in zip(chains[number], _before(fits.task, chains, number), strict=True):
            if other is not None:
                Meeting.wait_until(partial(fits.fits.__contains__, other))
            fits.fit(c, hessians[number])
            known = hessians[number]
            if c == chains[number][0] and known is not None and number + 1 < len(chains):
                hessians[number + 1] = known.copy()

    return [partial(follow, number) for number in range(len(chains))]


def _chains(task: Task) -> list[list[int]]:
    """The places of the candidates that are fitted, by penalty."""
    chains: dict[float, list[int]] = {}
    for c in task.fitted:
        chains.setdefault(task.candidates[c].l2, []).append(c)
    return list(chains.values())


def _before(task: Task, chains: list[list[int]], number: int) -> list[int | None]:
    """For each fit of a penalty the one with the penalty before that it waits for: its last one where none is alike."""
    if number == 0:
        return [None] * len(chains[0])
    others, candidates = chains[number - 1], task.candidates
    return [next((b for b in others if alike(candidates[b], candidates[c])), others[-1]) for c in chains[number]]


def most_fits(trainer: Trainer) -> int:
    """How many fits may go on at a time."""
    if not isinstance(choose_method(trainer.losses, near=True), Newton):
        return MOST_FITS
    J, d = trainer.losses.n_losses, trainer.losses.n_params
    return min(MOST_FITS, MOST_ENTRIES // (J * d * d))


def _mostly_hessians(task: Task) -> bool:
    """Whether fits take steps of Newton's method with too few rows for predictions: Hessians then take the time."""
    rows, setting = task.rows, task.setting
    (n, d), K = rows.X.shape, setting.n_classes if setting.loss.response == "classes" else 1
    known = setting.method == "newton"
    newton = newton_is_cheaper(float(n * d * K), d * K, near=True) if setting.method == AUTO else known
    return newton and n < CONTROL.rows_per_parameter * d * K


def bytes_of(X: Any) -> int:
    """The size of a matrix in memory; of a sparse one, that of its entries and their columns."""
    return int(X.data.nbytes + X.indices.nbytes) if sp.issparse(X) else int(X.nbytes)
