"""One cell of the experiments: the run that it describes, and the curve that the run left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .contestants import CONTESTANTS, Contestant
from .recipe import Recipe


@dataclass(frozen=True)
class Cell:
    """A method on a problem, for at most ``max_iter`` iterations, or until within ``epsilon`` of the optimum."""

    recipe: Recipe
    gamma: float
    name: str
    max_iter: int
    epsilon: float | None = None

    @property
    def contestant(self) -> Contestant:
        return CONTESTANTS[self.name]

    @property
    def title(self) -> str:
        recipe = self.recipe
        return f"{self.contestant.label}, d = {recipe.d}, J = {recipe.J}, gamma = {self.gamma:g}"

    @property
    def file_stem(self) -> str:
        r = self.recipe
        until = f"T{self.max_iter}" + ("" if self.epsilon is None else f"-eps{self.epsilon:g}")
        return f"d{r.d}-J{r.J}-N{r.N}-{r.dtype}-seed{r.seed}-gamma{self.gamma:g}-{self.name}-{until}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Reach:
    """The first iteration at which a run reached a value."""

    iterations: int
    seconds: float


@dataclass(frozen=True)
class Curve:
    """The lowest value so far and the time after each iteration, the start included; or the reason for a failure."""

    time: Sequence[float] = ()
    value: Sequence[float] = ()
    status: str = ""
    lower_bound: float | None = None
    failure: str = ""
    """Why the cell could not run; empty if it ran."""

    @property
    def n_iter(self) -> int:
        return len(self.value) - 1

    @property
    def objective(self) -> float | None:
        return self.value[-1] if self.value else None

    @property
    def seconds(self) -> float | None:
        return self.time[-1] if self.time else None

    def reach(self, target: float) -> Reach | None:
        """The first iteration whose value is at most ``target``; the start is not counted, as in the paper."""
        for k in range(1, len(self.value)):
            if self.value[k] <= target:
                return Reach(k, self.time[k])
        return None
