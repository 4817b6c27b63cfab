"""The outcome of `fairness_path`: models, held-out curves, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._types import Vector
from ..._validation import number
from ...errors import ProblemError
from ...storage import save
from ..fitting.trainer import TrainingBound
from ..selection.choosing import BEST, ONE_SE
from ..selection.making import with_choice
from ..selection.selection import GIVEN, Selection
from ..storage.path_writing import path_parts
from ..table import Table
from .held_out import HeldOut
from .knee import knee_of
from .plot import plot_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KNEE = "knee"
RULES = (ONE_SE, BEST, KNEE)


@dataclass(frozen=True, eq=False, repr=False)
class FairnessPath:
    """The path from the average model to the worst-group model, as `fairness_path` makes it.

    ``print(path)`` says what the worst group gains on held-out rows and at what price. A notebook, or ``repr(path)``,
    shows the table below this; ``print(path.table)`` shows it alone.

    Attributes
    ----------
    worst_weights : (P,) array
        p, from 0 to 1.
    models : list
        The fitted `MinimaxClassifier` or `MinimaxRegressor` of each p, with ``certified_`` and ``gap_``.
    l2 : float
        The penalty of all models.
    table : Table
        A row for each p: the largest held-out loss of a group, the held-out loss of all rows, gain and price compared
        with p = 0, each with its standard error (gain and price: paired); the same losses on the training rows, without
        the penalty; the certified gap.
    group_losses : Table
        A row for each group and p: the held-out loss, its change from p = 0 on the same rows, with standard errors, and
        the loss on the training rows.
    held_out : HeldOut
        The same numbers as arrays.
    knee : float
        Beyond this p each further gain of the worst group costs more; 0 where there is nothing to gain.
    """

    worst_weights: Vector
    models: list[Any]
    l2: float
    shares: Vector
    """The groups' shares of the weight of the training rows."""
    held_out: HeldOut
    one_se: Selection
    """The choice by the one-standard-error rule."""
    bounds: list[TrainingBound]
    """For each p how much lower the largest loss of a group could be on the training rows."""
    unit: str
    """What held-out numbers are, with their unit."""
    n_splits: int
    """How many times rows were held out."""

    @property
    def group_names(self) -> list[Any]:
        """The groups."""
        return list(self.held_out.names)

    @property
    def _knee(self) -> int:
        """The number of the model at the knee: a path without a confirmed gain has none."""
        return self.one_se.kept if self.one_se.nothing_to_gain else knee_of(self.one_se.choice)

    @cached_property
    def knee(self) -> float:
        """The worst weight at the knee."""
        return float(self.worst_weights[self._knee])

    def select(self, rule: str | float = ONE_SE) -> Any:
        """The fitted model that a rule takes.

        Parameters
        ----------
        rule : "one_se", "best", "knee" or float
            "one_se" and "best" as in `MinimaxClassifierCV`; "knee" takes the model at the knee, a number the model of
            that worst weight.
        """
        return self.models[self._chosen(rule)]

    def selection(self, rule: str | float = ONE_SE) -> Selection:
        """What a rule takes and why, in figures and in words; ``rule`` as in `select`."""
        chosen = self._chosen(rule)
        if rule == ONE_SE:
            return self.one_se
        return with_choice(self.one_se, chosen, self.bounds[chosen], rule=rule if isinstance(rule, str) else GIVEN)

    @cached_property
    def table(self) -> Table:
        """A row for each worst weight."""
        held_out, losses = self.one_se.candidates, np.array([model.group_losses_ for model in self.models])
        names = [name for name in held_out.columns if name not in ("admissible", "chosen")]
        return Table(
            {name: held_out[name] for name in names}
            | {
                "training_worst": losses.max(axis=1),
                "training_average": losses @ self.shares,
                "gap": [model.gap_ for model in self.models],
                "certified": [model.certified_ for model in self.models],
            },
            caption=(
                f"Held-out {self.one_se.scoring} for worst weights from 0 to 1, l2={self.l2:g}; errors are standard "
                "errors, those of gain and price of\npaired differences to worst weight 0. Training losses are without "
                "the penalty."
            ),
        )

    @cached_property
    def group_losses(self) -> Table:
        """A row for each group and worst weight."""
        held_out, P = self.held_out, len(self.models)
        changes = held_out.group_losses - held_out.group_losses[0]
        return Table(
            {
                "group": [name for name in held_out.names for _ in range(P)],
                "worst_weight": np.tile(self.worst_weights, len(held_out.names)),
                "loss": held_out.group_losses.T.ravel(),
                "loss_error": held_out.group_errors.T.ravel(),
                "change": changes.T.ravel(),
                "change_error": held_out.change_errors.T.ravel(),
                "training_loss": np.array([model.group_losses_ for model in self.models]).T.ravel(),
            },
            caption=f"Held-out {self.one_se.scoring} of every group, and its change from worst weight 0.",
        )

    def plot(self, ax: Axes | None = None, rule: str | float = ONE_SE) -> Axes:
        """Draw the held-out loss of every group against the worst weight; it needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a figure of its own.
        rule : "one_se", "best", "knee" or float
            Whose choice is marked, as in `select`.
        """
        return plot_path(self, self.selection(rule), ax)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the path with all its models to a file, which `saddleback.load` reads; as of `MinimaxClassifier`.

        Parameters
        ----------
        path : path
            The file. Its folder must exist; a file of this program is replaced, any other one is refused.
        """
        parts = path_parts(self)
        save(path, "path", parts.texts, parts.arrays)

    @property
    def sentence(self) -> str:
        """What is gained for whom, at what price, by the one-standard-error rule; and the knee."""
        knee = f"The knee is at worst_weight={self.knee:g}." if self.knee else "There is no knee: no gain is confirmed."
        return f"{self.one_se.sentence} {knee}"

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"{self.sentence}\n\n{self.table!r}"

    def _chosen(self, rule: str | float) -> int:
        """The number of the model that a rule takes."""
        if isinstance(rule, str) and rule not in RULES:
            raise ProblemError(f"rule must be one of {', '.join(map(repr, RULES))} or a worst weight; got {rule!r}.")
        if isinstance(rule, str):
            choice = self.one_se.choice
            return {ONE_SE: choice.chosen, BEST: choice.best, KNEE: self._knee}[rule]
        distances = np.abs(self.worst_weights - number(rule, "rule"))
        if distances.min() > 1e-9:
            known = ", ".join(f"{p:g}" for p in self.worst_weights)
            raise ProblemError(f"rule must be a worst weight of the path, one of {known}; got {rule!r}.")
        return int(distances.argmin())
