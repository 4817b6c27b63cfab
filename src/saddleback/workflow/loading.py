"""Any saved file becomes the object that was saved."""

from __future__ import annotations

from os import PathLike
from typing import Any

from ..result import Result
from ..storage import Reader, Stored, Unreadable, refusing
from ..storage import load as load_file
from .table_format import VERSION

KINDS = ("model", "result", "path")


def load(path: str | PathLike[str]) -> Any:
    """Read a model, a result or a path that was saved by its method ``save``.

    The loaded model predicts what the saved one did, to the last bit. Nothing in a file is executed, so that a file of
    unknown origin is safe to load. A damaged or cut off file, one of another program or of a newer version is refused
    with a ProblemError that says what is wrong with it, in one line.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    TableModel, MinimaxClassifier, MinimaxRegressor, their CV versions, WorstGroupCorrection, FairnessPath or Result
        What was saved; a model of a table, as ``saddleback fit`` writes it, is a TableModel, whose estimator,
        with ``coef_``, is its attribute ``model``. Models and paths need scikit-learn, models of tables pyarrow as
        well, results neither.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import saddleback as sb
    >>> result = sb.minimax(lambda w: [w @ w, (w - 1) @ (w - 1)], np.zeros(2), jac=lambda w: [2 * w, 2 * w - 2])
    >>> path = os.path.join(tempfile.mkdtemp(), "result.safetensors")
    >>> result.save(path)
    >>> sb.load(path).w
    array([0.5, 0.5])
    """
    stored = load_file(path, KINDS)
    with refusing(path):
        return restored(stored)


def restored(stored: Stored) -> Any:
    """The object in a file; `saddleback.storage.Unreadable` where it is not one."""
    if stored.kind == "result":
        reader = Reader(stored.texts, stored.arrays)
        result = Result.from_parts(reader)
        reader.refuse_unused()
        return result
    if stored.kind == "path":
        from ..learn.storage.path_reading import read_path

        return read_path(stored.texts, stored.arrays)
    if VERSION in stored.texts:
        from .table_model_reading import table_model_from

        return table_model_from(stored)
    from ..learn.storage.reading import TABLE_PREFIX, read_whole_model

    if any(name.startswith(TABLE_PREFIX) for name in (*stored.texts, *stored.arrays)):
        raise Unreadable("it holds parts of a model of a table, but not their version")
    return read_whole_model(stored.texts, stored.arrays)
