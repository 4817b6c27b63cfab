"""Opening a table that is in memory, or in a memory-mapped file."""

from __future__ import annotations

from .column_reader import ColumnReader
from .group_reader import GroupReader
from .input.features import read_features
from .input.groups import Naming, read_groups
from .input.labels import refuse_masked
from .input.offsets import read_offset
from .input.responses import read_responses
from .input.rows import is_rows
from .opened import GivenRows, Opened
from .own_loss import OwnLoss
from .passes import Passes
from .pointwise_loss import PointwiseLoss
from .reader import Reader
from .row_losses import RowLosses
from .row_reader import RowReader, compact, each_row, one_group
from .tables.layout import Layout


def open_in_memory(given: GivenRows, loss: PointwiseLoss, fit_intercept: bool, n_threads: int | None) -> Opened:
    """Check all arguments, arrange the table in the order of the groups, and choose the passes that suit it."""
    for argument, name in ((given.y, "y"), (given.groups, "groups"), (given.sample_weight, "sample_weight")):
        refuse_masked(argument, name)
    by_row = is_rows(given.groups)
    matrix, feature_names = read_features(given.X)
    n, d = matrix.shape
    responses = read_responses(given.y, loss.response, n)
    if isinstance(loss, OwnLoss):
        loss.try_out(responses.y)
    if by_row:
        naming, memberships, named = Naming([], by_labels=False), one_group(n), each_row(n)
    else:
        naming, memberships = read_groups(given.groups, given.sample_weight, n)
        named = memberships
    outputs = responses.classes if loss.response == "classes" else None
    layout = Layout(1 if outputs is None else len(outputs), d, fit_intercept)
    y, offset = loss.absorb(responses.y, read_offset(given.offset, n, outputs))
    reader = Reader.of(matrix, memberships, y, offset, layout.n_outputs, n_threads, many_passes=not by_row)
    passes: Passes | RowLosses
    if by_row:
        passes = RowLosses(RowReader(compact(reader), layout, n_threads), loss)
    else:
        kind = ColumnReader if ColumnReader.suits(reader, loss) else GroupReader
        passes = kind(reader, loss, layout, n_threads)
    return Opened.of(passes, layout, (n, matrix.n_entries), feature_names, responses.classes, naming, named)
