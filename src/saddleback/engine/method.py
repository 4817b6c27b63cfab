"""What the loop asks of an outer method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np

from .._types import Params, Vector, Weights
from ..dual_sets import DualSet
from ..losses import Losses
from ..regularizers import Regularizer
from .certificates import Minorant
from .evaluation import Point
from .hessian_probe import HessianProbe
from .oracle import Oracle
from .stopping import Stopping


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """Where a method stands: plain arrays and numbers. Methods add what they need to go on."""

    point: Point
    """The candidate answer after this step."""
    lam: Weights
    """The method's dual variable."""
    minorants: tuple[Minorant, ...] = ()
    """Lower bounds of g that this step has proved."""
    inner_gap: float = 0.0
    """The measured cross-evaluation gap of the step's dual subproblem."""
    inner_iter: int = 0
    predicted: float = np.nan
    """What the step's model says that there was to gain, at most; nan where there is no model."""
    stride: Params | None = None
    """The step, where its model may know the curvature in every direction and nothing held it back."""


S = TypeVar("S", bound=State)


class Named:
    """What both kinds of methods share: a name, and a check of what they need before anything is evaluated."""

    name: ClassVar[str]
    estimates: ClassVar[bool] = False
    """Whether what the method's steps promise tells, to second order, what is left to gain."""
    state_type: ClassVar[type[State]] = State
    """The type of its states; a checkpoint is read back as one."""
    n_square_matrices: ClassVar[int] = 0
    """How many d x d matrices a step holds at a time."""

    def check_adversary(self, dual_set: DualSet, regularizer: Regularizer) -> None:
        """Raise an IncompatibleError when Lambda or R lack what the method needs."""

    def check_losses(self, losses: Losses) -> None:
        """Raise an IncompatibleError when the losses lack what the method needs."""

    @property
    def rescales(self) -> bool:
        """Whether the steps are taken in units of the parameters' own sizes, so that their units do not matter."""
        return False


class Method(Named, ABC, Generic[S]):
    """One outer method: a frozen description of its options.

    It never loops over iterations, prints, times or decides to stop: ``solve`` does.
    """

    def sees_all(self, state: S) -> bool:
        """Whether the model of the last step, where it left a stride, knows the curvature in every direction."""
        return False

    @abstractmethod
    def init(self, oracle: Oracle, w0: Vector) -> S:
        """The state at w0."""

    @abstractmethod
    def step(self, oracle: Oracle, state: S) -> S:
        """The state after one iteration."""

    def informed(self, state: S, look: HessianProbe) -> S:
        """The state with the second derivatives that a Hessian probe at the best point has found."""
        return state


class ExternalMethod(Named, ABC):
    """A method whose loop belongs to another library, which reports back after each of its iterations."""

    @abstractmethod
    def run(
        self, oracle: Oracle, w0: Vector, stopping: Stopping, observe: Callable[[State], bool], last: State | None
    ) -> str:
        """Iterate until ``observe(state)`` says stop, or the library ends by itself; returns the library's message.

        ``last`` is the last state that was observed, where a run is taken up: it and those before it are not
        observed again.
        """


AnyMethod: TypeAlias = Method[Any] | ExternalMethod
