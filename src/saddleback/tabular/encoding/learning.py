"""What every column of a table means, and how it becomes numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..._validation import flag
from ...errors import ProblemError
from ..content.labels import class_label, group_label, relabelled
from ..content.texts import texts_of
from ..content.types import checked, decoded, is_usable
from ..names import columns_listed, quoted, to_type
from ..reading.notes import notes_of
from .association import purity, sampled_rows
from .chosen_columns import ChosenColumns
from .column_learning import learn_column
from .encoding import Encoding
from .finding import Finding, note, warning
from .leakage import (
    FEWEST_ROWS,
    PURITY,
    Sample,
    determines_exactly,
    determines_nearly,
    exact_words,
    near_finding,
    proxy_finding,
)
from .learned import Learned
from .points import points_beside_decimal_commas
from .rules import ColumnRule, DroppedRule
from .spellings import spelling_findings
from .target_learning import learn_target
from .target_rule import REGRESSION, TargetRule

MANY_GROUPS = 0.1
"""A warning is given where there are more labels of groups than this share of the rows."""


def learn_encoding(
    table: pa.Table,
    *,
    target: str,
    groups: Iterable[str] | str = (),
    drop: Iterable[str] | str = (),
    keep: Iterable[str] | str = (),
    keep_groups: bool = False,
    categories: Iterable[str] | str = (),
    task: str = "auto",
    positive: Any = None,
    targets: pa.ChunkedArray | None = None,
) -> Encoding:
    """What every column of a table means, and how it becomes numbers.

    Numbers stay numbers, also whole ones of few values; a missing one is the mean of the training rows, and if there
    were any in training, a column says which. Texts are categories with a column of zeros and ones for each level;
    levels of fewer than 20 rows (in tables of less than 1,000 rows, 2 %) and those beyond the 40 most frequent are
    pooled as "(other)", missing ones are the level "(missing)"; two levels make one column. What has no level
    in training gets the training shares. Left out, with a finding: constant columns, identifiers, free text. Refused:
    dates, lists and other nested values, infinity, and columns that determine the target one to one.

    Parameters
    ----------
    table : pyarrow.Table
        The training rows; rows without a target are ignored.
    target : str
        The column to be predicted.
    groups : names
        Columns whose labels are the groups; they are no features unless ``keep_groups`` is True.
    drop : names
        Columns that are no features.
    keep : names
        Columns to be kept although they look like identifiers or free text, or know the target.
    keep_groups : bool
        Whether group columns are features, too.
    categories : names
        Columns of numbers that are codes, such as 1 to 4 for kinds of pain: each value is a level, as if it were text;
        1, 1.0 and "1" are the same one.
    task : {"auto", "classification", "regression"}
        By default two values, booleans, texts and up to ten whole numbers are classes, numbers with fractions ask for a
        regression, and other whole numbers are refused.
    positive : optional
        The positive one of two classes; by default a word such as "yes" or "approved", else the larger one.
    targets : pyarrow.ChunkedArray, optional
        The values of the target in a larger table, of which ``table`` is a sample; each of them once is enough.

    Returns
    -------
    Encoding

    Examples
    --------
    >>> from saddleback.tabular import learn_encoding, table_from_frame
    >>> frame = {"age": [31, None, 54], "job": ["clerk", "nurse", "cook"], "paid": ["yes", "no", "yes"]}
    >>> encoding = learn_encoding(table_from_frame(frame), target="paid")
    >>> encoding.feature_names
    ['age', 'age is missing', 'job=clerk', 'job=cook', 'job=nurse']
    >>> encoding.features(table_from_frame({"job": ["cook", "pilot"], "age": [40, 41]})).tolist()[0]
    [40.0, 0.0, 0.0, 1.0, 0.0]
    """
    if not isinstance(table, pa.Table):
        raise ProblemError(
            f"expected a table, as read_table and table_from_frame make them; got {type(table).__name__}."
        )
    chosen = ChosenColumns(table.column_names, target, groups, drop, keep, categories, flag(keep_groups, "keep_groups"))
    if table.num_rows == 0:
        raise ProblemError("the table has no rows; expected at least two, with different targets.")
    values = table.column(chosen.target) if targets is None else targets
    rule, findings = learn_target(values, chosen.target, task, positive)
    labelled = ~rule.missing(table.column(rule.name))
    findings = [*(note("", "file", text) for text in notes_of(table)), *findings]
    if targets is None and not labelled.all():
        findings.append(without_target(rule.name, int((~labelled).sum()), labelled.size))
    learning = _Learning(table, chosen, rule, labelled)
    columns = [learning.learn(name) for name in chosen.names if name != rule.name]
    learning.refuse()
    findings += [*learning.findings, *points_beside_decimal_commas(table, columns)]
    return Encoding(rule, chosen.groups, tuple(columns), tuple(findings))


def without_target(name: str, n_missing: int, n_rows: int) -> Finding:
    """The warning of rows that have no target."""
    told = f"The target {quoted(name)} is missing in {n_missing} of {n_rows} rows; these are no training rows."
    return warning(name, "missing", told)


class _Learning:
    """The columns one after the other, with what must be refused collected, so that one message names all of it."""

    def __init__(self, table: pa.Table, chosen: ChosenColumns, target: TargetRule, labelled: NDArray[np.bool_]) -> None:
        self.table, self.chosen, self.target = table, chosen, target
        self.rows = None if labelled.all() else labelled
        of_labelled = sampled_rows(int(labelled.sum()))
        self.sampled = of_labelled if self.rows is None else np.flatnonzero(labelled)[of_labelled]
        self.target_sample = self._sample_of_target()
        self.group_samples = {name: self._sample_of_group(name) for name in chosen.groups}
        self.findings = [finding for name in chosen.groups for finding in self._group_findings(name)]
        self.times: list[str] = []
        self.unusable: dict[str, str] = {}
        self.exact: list[str] = []
        self.n_features = 0

    def learn(self, name: str) -> ColumnRule:
        """The rule of a column."""
        if name in self.chosen.drop:
            return DroppedRule(name, "left out, as told")
        if name in self.chosen.groups and not self.chosen.keep_groups:
            return DroppedRule(name, "makes the groups, and is no feature")
        try:
            column = decoded(self.table.column(name))
        except pa.ArrowException:
            column = self.table.column(name)
        if not is_usable(column.type):
            self.unusable[name] = str(column.type)
            return DroppedRule(name, "of an unusable type")
        forced, codes = name in self.chosen.keep, name in self.chosen.categories
        learned = learn_column(column, name, self.rows, self.sampled, forced=forced, codes=codes)
        if learned.is_time:
            self.times.append(name)
        self.findings += learned.findings
        self.n_features += len(learned.rule.feature_names)
        self._compare(name, learned)
        return learned.rule

    def refuse(self) -> None:
        """Refuse what cannot be a feature, all columns in one message."""
        if self.times or self.unusable:
            raise ProblemError(_refusal(self.times, self.unusable))
        if self.exact:
            known = "; ".join(self._exact_words(name) for name in self.exact)
            raise ProblemError(
                f"{known}. A model that sees it learns nothing else. Leave it out: {to_type('--drop', self.exact)} "
                f"(drop=), or accept it: {to_type('--keep', self.exact)} (keep=)."
            )
        if self.n_features == 0:
            raise ProblemError(
                "no column is left to predict from: all but target and groups are left out. "
                + " ".join(finding.message for finding in self.findings if finding.column)[:500]
            )

    def _compare(self, name: str, learned: Learned) -> None:
        """Notice a column that knows the target or a group."""
        if learned.sample is None:
            return
        if determines_exactly(learned.sample, self.target_sample):
            if name in self.chosen.keep:
                told = f"{self._exact_words(name)}; it is kept, as told."
                self.findings.append(warning(name, "leakage", told[0].upper() + told[1:]))
            else:
                self.exact.append(name)
            return
        how = determines_nearly(learned.sample, self.target_sample)
        if how is not None:
            self.findings.append(near_finding(name, self.target.name, how))
        for group, sample in self.group_samples.items():
            if group != name and self.sampled.size >= FEWEST_ROWS:
                share = purity(learned.sample.codes, sample.codes)
                if share >= PURITY:
                    self.findings.append(proxy_finding(name, group, share))

    def _exact_words(self, name: str) -> str:
        words = exact_words(name, self.target.name)
        n_rows = self.table.num_rows if self.rows is None else int(self.rows.sum())
        return words if self.sampled.size == n_rows else f"{words} in all of {self.sampled.size} sampled rows"

    def _sample_of_target(self) -> Sample:
        column = checked(self.table.column(self.target.name), self.target.name).take(self.sampled)
        if self.target.task == REGRESSION:
            return Sample.of_numbers(self.target.values(column))
        return Sample.of_codes(relabelled(texts_of(column), class_label).codes)

    def _sample_of_group(self, name: str) -> Sample:
        texts = relabelled(texts_of(checked(self.table.column(name), name)), group_label)
        return Sample.of_codes(texts.codes[self.sampled])

    def _group_findings(self, name: str) -> list[Finding]:
        """Groups that are missing, as many as there are rows, or written in two ways."""
        texts = texts_of(checked(self.table.column(name), name))
        counts = relabelled(texts, group_label).counts(self.rows)
        n_rows, n_missing, n_labels = int(counts.sum()), int(counts[-1]), int(np.count_nonzero(counts[:-1]))
        found = []
        if n_missing:
            told = (
                f"The group column {quoted(name)} has no label in {n_missing} of {n_rows} rows. They have the label "
                "'(missing)', a group like any other; --missing-groups error (missing_groups='error') refuses them."
            )
            found.append(warning(name, "group", told))
        if n_rows >= FEWEST_ROWS and n_labels > MANY_GROUPS * n_rows:
            told = f"The group column {quoted(name)} has {n_labels} labels in {n_rows} rows; such groups tell little."
            found.append(warning(name, "group", told))
        return found + spelling_findings(texts, group_label, self.rows, name, "group column")


def _refusal(times: list[str], unusable: dict[str, str]) -> str:
    parts = []
    if times:
        hold = "holds" if len(times) == 1 else "hold"
        parts.append(
            f"{columns_listed(times)} {hold} dates or times, which are no features as they are. Make numbers of them, "
            "such as an age in days, a month or a weekday"
        )
    if unusable:
        kinds = ", ".join(f"{quoted(name)} ({quoted(kind)[1:-1]})" for name, kind in list(unusable.items())[:12])
        of = "column {} is of a type that is" if len(unusable) == 1 else "columns {} are of types that are"
        parts.append(f"the {of.format(kinds)} neither a number nor text")
    left_out = "it" if len(times) + len(unusable) == 1 else "them"
    return f"{'; '.join(parts)}; or leave {left_out} out: {to_type('--drop', [*times, *unusable])} (drop=)."
