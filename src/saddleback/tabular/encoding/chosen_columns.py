"""The columns that the arguments of `learn_encoding` name."""

from __future__ import annotations

from typing import Any

from ...errors import ProblemError
from ..names import column_names, listed, quoted, refuse_unknown


class ChosenColumns:
    """The columns that the arguments name, checked against those of the table."""

    def __init__(
        self, names: list[str], target: Any, groups: Any, drop: Any, keep: Any, categories: Any, keep_groups: bool
    ) -> None:
        if not isinstance(target, str):
            raise ProblemError(f"target must be the name of a column; got {quoted(target)}.")
        self.names, self.target, self.keep_groups = names, target, keep_groups
        given = {"groups": groups, "drop": drop, "keep": keep, "categories": categories}
        named = {what: column_names(argument, what) for what, argument in given.items()}
        self.groups, self.drop, self.keep, self.categories = named.values()
        refuse_unknown(target, names, "target")
        for what, those in named.items():
            for name in those:
                refuse_unknown(name, names, what)
                if name == target and what != "keep":
                    raise ProblemError(f"{quoted(name)} is the target and named by {what} as well; it can be one only.")
        if both := [name for name in self.drop if name in self.keep]:
            raise ProblemError(f"{listed(both)} cannot be both dropped and kept.")
        if both := [name for name in self.drop if name in self.categories]:
            raise ProblemError(f"{listed(both)} cannot be both dropped and a category.")
        if len(set(names)) < len(names):
            raise ProblemError("names of columns must differ; rename those of the table.")
