"""A model of a table from its file; everything in it is checked before it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from ..errors import ProblemError
from ..learn.storage.reading import read_whole_model
from ..report import check_evidence
from ..storage import Stored, Unreadable, json_from, refusing
from ..storage import load as load_file
from ..tabular import Encoding
from .table_format import FORMAT_VERSION, VERSION
from .table_model import TableModel

FACTS = {"rows": int, "left_out": int, "sha256": str, "weight": str | None, "data": str | None}


def load_table_model(path: str | PathLike[str]) -> TableModel:
    """The model that `TableModel.save` or the command ``saddleback fit`` has written.

    Parameters
    ----------
    path : path
        The file. One that is damaged, of another program, or that holds no encoding of a table, is refused.
    """
    stored = load_file(path, ("model",))
    if not is_table_model(stored):
        raise ProblemError(
            f"{path} holds an estimator without the columns of a table, as written in Python; expected a model of "
            "`saddleback fit`. Load it with saddleback.load."
        )
    with refusing(path):
        return table_model_from(stored)


def is_table_model(stored: Stored) -> bool:
    """Whether a file says how the columns of a table become numbers."""
    return stored.kind == "model" and VERSION in stored.texts


def table_model_from(stored: Stored) -> TableModel:
    """The model in a file; Unreadable where it is none."""
    try:
        return _model(stored)
    except ProblemError as error:
        raise Unreadable(str(error).removesuffix(".")) from None


def _model(stored: Stored) -> TableModel:
    version = stored.texts[VERSION]
    if version != str(FORMAT_VERSION):
        raise ProblemError(f"its table is of version {version[:20]!r}; this program reads version {FORMAT_VERSION}.")
    encoding = Encoding.from_dict(_part(stored, "encoding"))
    evidence = _part(stored, "evidence")
    if evidence is not None:
        check_evidence(evidence)
    model = read_whole_model(stored.texts, stored.arrays)
    _check_agreement(encoding, model)
    return TableModel(encoding, model, evidence, _facts(_part(stored, "facts")))


def _part(stored: Stored, name: str) -> Any:
    array = stored.arrays.get(f"table.{name}")
    if array is None:
        raise ProblemError(f"the part {name} of its table is missing.")
    return json_from(array, name)


def _check_agreement(encoding: Encoding, model: Any) -> None:
    """The encoding makes as many numbers of a row, and as many classes, as the model takes."""
    width, classes = len(encoding.feature_names), encoding.target.classes
    if model.n_features_in_ != width:
        raise ProblemError(f"its encoding makes {width} features, and its model takes {model.n_features_in_}.")
    known = getattr(model, "classes_", None)
    if set([] if known is None else known.tolist()) != set(classes):
        raise ProblemError(f"its encoding has the classes {classes[:10]}, and its model has others.")


def _facts(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict) or set(data) != set(FACTS):
        raise ProblemError(f"the facts of its fit must be {', '.join(FACTS)}; got others.")
    for name, kind in FACTS.items():
        if not isinstance(data[name], kind) or isinstance(data[name], bool):
            raise ProblemError(f"{name} of its fit has the wrong type, {type(data[name]).__name__}.")
    return data
