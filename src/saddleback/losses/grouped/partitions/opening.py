"""Opening a table that is in partitions: of Dask arrays or data frames, or sections of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....errors import MissingDependencyError, ProblemError, SaddlebackError
from ..input.groups import Naming, refuse_groups_without_rows, refuse_groups_without_weight
from ..input.responses import check_classes
from ..opened import GivenRows, Opened
from ..pointwise_loss import PointwiseLoss
from ..tables.layout import Layout
from .collections import Partitioned, check_arguments, cut, is_dask
from .executor import Executor
from .features import PartitionedFeatures
from .group_names import GroupsFound, naming_of
from .labels import merged
from .loading import Expected, Part
from .partition_passes import PartitionPasses
from .preparing import Look, LookAt, Prepare, ReadNames
from .resident import Arrange
from .starting import start
from .weighing import AddWeights, Coefficients, Count, Tally


def is_in_partitions(given: GivenRows) -> bool:
    """Whether X is in partitions, or an argument that belongs to it is a Dask collection."""
    return isinstance(given.X, PartitionedFeatures) or any(map(is_dask, vars(given).values()))


def open_partitions(given: GivenRows, loss: PointwiseLoss, fit_intercept: bool, n_threads: int | None) -> Opened:
    """Check all partitions, number their labels by those of all, and leave them where they are as residents."""
    arguments = {name: argument for name, argument in vars(given).items() if name != "X"}
    if isinstance(given.X, PartitionedFeatures):
        expected, parts = given.X.expected, given.X.parts
        in_memory = {name: argument for name, argument in arguments.items() if argument is not None}
        return _open(parts, expected, in_memory, loss, fit_intercept)
    check_arguments(given.X, arguments)
    source = Partitioned.of(given.X, arguments)
    with _failures_named():
        return _open(start(source, n_threads), source.expected, source.in_memory, loss, fit_intercept)


def _open(
    parts: Executor, expected: Expected, in_memory: dict[str, Any], loss: PointwiseLoss, fit_intercept: bool
) -> Opened:
    with _failures_named():
        parts = _with_arguments(parts, in_memory)
        found = parts.each(LookAt(loss.response))
        looks = [look for look in found if look is not None]
        if not looks:
            raise ProblemError(f"X must have at least one row; got {parts.n_partitions} partitions without rows.")
        classes = _classes(looks, loss.response)
        naming = _naming(parts, looks)
        prepared = parts.then(Prepare(loss, classes, naming))
        del parts
        coefficients = _coefficients(prepared, naming)
        outputs = classes if loss.response == "classes" else None
        layout = Layout(1 if outputs is None else len(outputs), expected.n_columns, fit_intercept)
        residents = prepared.then(Arrange(coefficients, naming.names, loss, layout))
        del prepared
    names = expected.names
    return Opened(
        passes=PartitionPasses(residents, loss, layout, len(naming.names)),
        layout=layout,
        n_samples=sum(look.n_rows for look in looks),
        n_entries=sum(look.n_entries for look in looks),
        feature_names=None if names is None else list(names),
        classes=classes,
        naming=naming,
        group_names=list(naming.names),
        group_sizes=coefficients.sizes,
        group_weights=coefficients.weights,
    )


def _with_arguments(parts: Executor, in_memory: dict[str, Any]) -> Executor:
    """With the rows of arguments that are in the memory of this process."""
    if not in_memory:
        return parts
    lengths = parts.each(_n_rows)
    pieces = {name: cut(argument, name, lengths) for name, argument in in_memory.items()}
    return parts.then(
        Part.with_arguments, [dict(zip(pieces, row, strict=True)) for row in zip(*pieces.values(), strict=True)]
    )


def _n_rows(part: Part) -> int:
    return part.n_rows


def _classes(looks: list[Look], response: str) -> list[Any] | None:
    seen = [look.responses for look in looks if look.responses is not None]
    if not seen:
        return None
    classes = merged(seen, "y")
    check_classes(classes, response)
    return classes


def _naming(parts: Executor, looks: list[Look]) -> Naming:
    found = GroupsFound.of([look.groups for look in looks])
    if found.naming is not None:
        return found.naming
    return naming_of([seen for seen in parts.each(ReadNames(found.crossed)) if seen is not None])


def _coefficients(prepared: Executor, naming: Naming) -> Coefficients:
    tallies = prepared.each(Count(len(naming.names)))
    tally = Tally.merged([one for one in tallies if one is not None])
    refuse_groups_without_rows(tally.counts, naming.names)
    refuse_groups_without_weight(tally.sizes, naming.names)
    if tally.uniform:
        return Coefficients.uniform(tally)
    totals = prepared.fold(AddWeights(tally.largest), 0.0 * tally.largest)
    return Coefficients.weighted(tally, totals)


@contextmanager
def _failures_named() -> Iterator[None]:
    """What goes wrong in the user's own tasks, such as a missing file, is a ProblemError that names it."""
    try:
        yield
    except (SaddlebackError, MissingDependencyError, MemoryError):
        raise
    except Exception as error:
        raise ProblemError(
            f"the partitions of X and its arguments could not be made; got {type(error).__name__}: {error}. See to the "
            "files or the tasks that they come from."
        ) from error
