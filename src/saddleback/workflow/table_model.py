"""A model of a table: how columns become numbers, the estimator, and the evidence of what it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import pyarrow as pa

from ..errors import ProblemError
from ..learn.storage.writing import model_parts
from ..report import write_report
from ..report.writing import WRITERS
from ..storage import json_array, save
from ..tabular import Encoding
from .prediction import predictions
from .table_format import FORMAT_VERSION, VERSION
from .table_rows import as_table


@dataclass(frozen=True, eq=False)
class TableModel:
    """A model that takes tables: files, data frames or dicts of columns.

    Attributes
    ----------
    encoding : Encoding
        How each column becomes numbers.
    model : estimator
        The fitted estimator: ``model.coef_`` are the coefficients of the columns ``encoding.feature_names``.
    evidence : dict or None
        Everything that the report says, as plain data; None where it was not collected.
    facts : dict
        Of the fit: ``rows``, ``left_out`` (rows without a target), ``sha256`` (of the rows as they were fitted),
        ``weight`` (the column of weights, or None) and ``data`` (the name of the file).

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> rng = np.random.default_rng(0)
    >>> frame = {"age": rng.normal(40, 9, 400), "town": np.repeat(["big", "small"], [320, 80])}
    >>> frame["paid"] = np.where(frame["age"] + rng.normal(0, 9, 400) > 40, "yes", "no")
    >>> model = sb.fit_table(frame, target="paid", groups="town", worst_weight=0.5, evidence=False)
    >>> model.predict({"age": [20.0, 60.0]}).column("prediction").to_pylist()
    ['no', 'yes']
    """

    encoding: Encoding
    model: Any
    evidence: Mapping[str, Any] | None
    facts: Mapping[str, Any]

    @property
    def converged(self) -> bool:
        """Whether the solver has ended within its tolerance."""
        return bool(self.model.result_.success)

    def predict(self, data: Any, *, keep: Sequence[str] = ()) -> pa.Table:
        """The predictions of new rows, in their order.

        Parameters
        ----------
        data : path, data frame, dict of columns or pyarrow.Table
            Rows with the columns of the features, by name; target and groups need not be there.
        keep : list of str
            Columns of ``data`` that are copied before the predictions, such as an identifier.

        Returns
        -------
        pyarrow.Table
            ``prediction``, and for classes ``probability`` of the positive class, or ``probability of K`` of each
            class K where there are more than two. A loss without probabilities has a ``margin`` instead. A table
            without rows has no predictions, in columns of the same names and types.
        """
        table = as_table(data, self.encoding.text_columns, empty=True)
        return predictions(self.encoding, self.model, table, keep)[0]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, which `saddleback.load` and the commands read; training rows are no part of it."""
        texts, arrays = self.parts()
        save(path, "model", texts, arrays)

    def parts(self) -> tuple[dict[str, str], dict[str, Any]]:
        """The texts and arrays of the file."""
        texts, arrays = model_parts(self.model)
        own = {"encoding": self.encoding.to_dict(), "evidence": self.evidence, "facts": dict(self.facts)}
        tables = {f"table.{name}": json_array(value) for name, value in own.items()}
        return {**texts, VERSION: str(FORMAT_VERSION)}, {**arrays, **tables}

    def report(
        self,
        path: str | PathLike[str],
        *,
        title: str | None = None,
        purpose: str | None = None,
        owner: str | None = None,
    ) -> None:
        """Write the page (.html), the model card (.md) or the evidence (.json) of this model.

        Parameters
        ----------
        path : path
            The file; its ending says what is written.
        title, purpose, owner : str, optional
            Filled in here; by default as at the time of the fit.
        """
        write_report(self.evidence_with(title, purpose, owner), path)

    def report_text(self, suffix: str) -> str:
        """The report as text, of the kind that a suffix names."""
        return WRITERS[suffix.lower()](self.evidence_with(None, None, None))

    def evidence_with(self, title: str | None, purpose: str | None, owner: str | None) -> dict[str, Any]:
        """The evidence with what the fit could not know."""
        if self.evidence is None:
            raise ProblemError(
                "this model has no evidence to report: it was fitted without. Fit it again, without --no-evidence "
                "(evidence=True)."
            )
        evidence = dict(self.evidence)
        if title is not None:
            evidence["title"] = title
        told = {"purpose": purpose, "owner": owner}
        evidence["provenance"] = {
            **evidence["provenance"],
            **{name: text for name, text in told.items() if text is not None},
        }
        return evidence
