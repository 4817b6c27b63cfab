"""An encoding: the rules by which tables become features, targets and groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import ProblemError
from ..content.labels import group_label, relabelled
from ..content.texts import texts_of
from ..content.types import checked
from ..names import columns_listed, listed, near_names, quoted
from .applying import matrix
from .finding import Finding
from .rules import CategoryRule, ColumnRule, DroppedRule
from .stored import encoding_parts, read_parts
from .target_rule import CLASSIFICATION, TargetRule


@dataclass(frozen=True, eq=True)
class Encoding:
    """How the columns of a table become numbers, learned by `learn_encoding` and applied to any table.

    Attributes
    ----------
    target : TargetRule
        ``name``, ``task``, ``classes`` and ``positive`` of the target.
    groups : tuple of str
        The columns whose labels are the groups.
    columns : tuple of ColumnRule
        One rule for every column of the training table but the target: ``name``, ``kind`` ("number", "category" or
        "dropped"), ``rule`` in words.
    findings : tuple of Finding
        What was noticed: identifiers, constant columns, missing values, pooled levels, near leakage.
    """

    target: TargetRule
    groups: tuple[str, ...]
    columns: tuple[ColumnRule, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns of `features`, all different."""
        names: dict[str, None] = {}
        for name in (name for rule in self.columns for name in rule.feature_names):
            others = (f"{name} ({k})" for k in count(2))
            names[name if name not in names else next(other for other in others if other not in names)] = None
        return list(names)

    @property
    def input_columns(self) -> tuple[str, ...]:
        """The columns that `features` reads."""
        return tuple(rule.name for rule in self.columns if not isinstance(rule, DroppedRule))

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns to be read as text: categories and classes, so that 0123 stays 0123."""
        categories = [rule.name for rule in self.columns if isinstance(rule, CategoryRule)]
        texts = self.target.task == CLASSIFICATION and all(isinstance(label, str) for label in self.target.classes)
        return tuple(dict.fromkeys([*categories, *([self.target.name] if texts else [])]))

    def features(self, table: pa.Table, dtype: Any = np.float64) -> NDArray[Any]:
        """The features of all rows, (n, d) in C order, finite; the columns of the table may stand in any order.

        ``dtype`` may be float32, which takes half the memory.
        """
        return self.encode(table, dtype)[0]

    def encode(self, table: pa.Table, dtype: Any = np.float64) -> tuple[NDArray[Any], tuple[Finding, ...]]:
        """The features, and findings on what the training rows had not: unseen values, new gaps."""
        if dtype not in (np.float32, np.float64, "float32", "float64"):
            raise ProblemError(f"dtype must be float64 or float32; got {quoted(dtype)}.")
        self._require(table, self.input_columns)
        rules = [rule for rule in self.columns if not isinstance(rule, DroppedRule)]
        X, findings = matrix(rules, table.column, table.num_rows, np.dtype(dtype).type)
        return X, tuple(findings)

    def target_values(self, table: pa.Table) -> NDArray[Any]:
        """The classes or numbers of all rows; missing ones are refused and counted."""
        self._require(table, (self.target.name,))
        return self.target.values(table.column(self.target.name))

    def target_missing(self, table: pa.Table) -> NDArray[np.bool_]:
        """Which rows have no target."""
        self._require(table, (self.target.name,))
        return self.target.missing(table.column(self.target.name))

    def group_labels(self, table: pa.Table) -> dict[str, NDArray[np.object_]]:
        """The labels of the group columns as text, None where they are missing.

        Blanks around a label are no part of it. A number is that number however it is written: 1, 1.0 and 1.00 are
        the label "1", in a column of numbers and in one of texts; 007 is a code, and stays as it is.
        """
        self._require(table, self.groups)
        return {name: labels_of(table.column(name), name) for name in self.groups}

    def with_findings(self, findings: Iterable[Finding]) -> Encoding:
        """The same rules with more findings."""
        return replace(self, findings=(*self.findings, *findings))

    def to_dict(self) -> dict[str, Any]:
        """The encoding as values that JSON can hold."""
        return encoding_parts(self.target, self.groups, self.columns, self.findings)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Encoding:
        """The encoding of `to_dict`; everything in ``data`` is checked before it is believed."""
        return cls(*read_parts(data))

    def _require(self, table: Any, names: tuple[str, ...]) -> None:
        """Refuse a table that lacks columns, with the names most like them."""
        if not isinstance(table, pa.Table):
            raise ProblemError(
                f"expected a table, as read_table and table_from_frame make them; got {type(table).__name__}."
            )
        there = table.column_names
        known = Counter(there)
        lacking = [name for name in names if name not in known]
        if lacking:
            near = near_names(lacking[0], there)
            meant = f" Is {quoted(lacking[0])} named {' or '.join(map(quoted, near))} there?" if near else ""
            raise ProblemError(
                f"the table lacks {columns_listed(lacking)}, which the model needs; it has {listed(there)}.{meant}"
            )
        for name in names:
            if known[name] > 1:
                raise ProblemError(f"the table has several columns named {quoted(name)}; rename them.")


def labels_of(column: pa.ChunkedArray, name: str) -> NDArray[np.object_]:
    """The labels of a column as texts, None where they are missing."""
    texts = relabelled(texts_of(checked(column, name)), group_label)
    labels = np.empty(texts.n_levels + 1, dtype=object)
    labels[:-1] = texts.levels.to_pylist()
    return labels[texts.codes]
