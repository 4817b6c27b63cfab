"""Encoded rows as partitions on the workers of a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..._types import Matrix
from ...errors import ClusterError
from ...machine.resources import gigabytes
from ...tabular import Encoding
from .encoded_cut import EncodedCut

if TYPE_CHECKING:
    from ...learn.data.remote import Blocks

SHARE = 0.5
"""Of the workers' memory that features may take: at 60 % Dask begins to write them to disk, and every pass would read
them from there."""


FAILED_TASK = "Compute Failed"
"""How Dask begins the record of an error of a task."""


def blocks_on(client: Any, cuts: Sequence[EncodedCut], encoding: Encoding) -> Blocks:
    """Have the workers read and encode the cuts, and keep them."""
    import dask
    import dask.array as da

    from ...learn.data.partitions import Partitions
    from ...losses.grouped.partitions.features import PartitionedFeatures

    width = len(encoding.feature_names)
    _check_room(client, 8.0 * width * sum(cut.n_rows for cut in cuts))
    rules = dask.delayed(encoding)
    # Workers have other working directories.
    tasks = [dask.delayed(_features)(cut.absolute(), rules) for cut in cuts]
    arrays = [da.from_delayed(task, (cut.n_rows, width), dtype=float) for task, cut in zip(tasks, cuts, strict=True)]
    return Partitions(PartitionedFeatures.of(da.concatenate(arrays)))


def leave_errors_to_the_client() -> None:
    """Called on a worker of this machine: errors of its tasks are not printed as well, the client tells them."""
    logging.getLogger("distributed.worker").addFilter(_is_no_failed_task)


def _is_no_failed_task(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith(FAILED_TASK)


def _features(cut: EncodedCut, encoding: Encoding) -> Matrix:
    return cut.features(encoding)


def _check_room(client: Any, n_bytes: float) -> None:
    """Refuse features that the workers cannot keep."""
    limits = [worker["memory_limit"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()]
    if not all(limits) or n_bytes <= SHARE * sum(limits):
        return
    raise ClusterError(
        f"the encoded rows take {gigabytes(n_bytes)}, more than half of the {gigabytes(sum(limits))} of the "
        f"{len(limits)} workers together. Add workers, or leave out columns (drop); without a scheduler the rows are "
        "read from the files at every pass."
    )
