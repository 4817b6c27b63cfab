"""The interface of outer methods: their state, the base classes and what the loop reads from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, get_args

import numpy as np

from .._types import Params, Vector, Weights
from ..capabilities import Needs
from ..subproblem import InnerSolver
from .certificates import Minorant
from .evaluation import Point
from .hessian_probe import HessianProbe
from .oracle import Oracle
from .stopping import Stopping


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The state of a method after one step: arrays and numbers, which a checkpoint stores by their type hints.

    A method that keeps more derives its own frozen dataclass from this one.
    """

    point: Point
    """The candidate answer after this step."""
    lam: Weights
    """The method's dual variable."""
    minorants: tuple[Minorant, ...] = ()
    """Lower bounds of g that this step has proved."""
    inner_gap: float = 0.0
    """The measured cross-evaluation gap of the step's dual subproblem."""
    inner_iter: int = 0
    """Iterations of the inner solver in this step."""
    inner_failures: int = 0
    """Subproblems that the method solved itself in this step and that ended above the requested gap. The oracle counts
    those that it solves."""
    predicted: float = np.nan
    """The decrease of g that the step's model predicted before the step; nan where there is no model."""
    unshifted_step: Params | None = None
    """The step p = -B^-1 G' lam without a shift, where B held second derivatives in every direction; else None."""

    def but(self, **changes: object) -> Self:
        """This state with some fields changed: dataclasses.replace, in a quarter of its time."""
        state = object.__new__(type(self))
        state.__dict__.update(self.__dict__, **changes)
        return state


S = TypeVar("S", bound=State)


class MethodBase:
    """Base of `Method` and `ExternalMethod`: name, needed capabilities, and the facts that the loop reads."""

    name: ClassVar[str]
    needs: ClassVar[Needs] = Needs()
    """The capabilities without which a problem is refused, before anything is evaluated."""
    predicts_gap: ClassVar[bool] = False
    """Whether the predicted decrease of a step estimates the gap to second order."""
    state_type: ClassVar[type[State]] = State
    """The type of the states, for checkpoints: S of ``Method[S]`` unless declared. For a method without either, a
    resumed run takes the type of the state that ``init`` returns."""
    n_square_matrices: ClassVar[int] = 0
    """How many d x d matrices a step holds at a time."""
    solves_subproblems: ClassVar[bool] = True
    """Whether the method solves (D), whose solvers may need J x J matrices."""
    keeps_structure: ClassVar[bool] = False
    """Whether the method takes products with a structured Jacobian only, so that its matrix is never formed."""
    answers_last: ClassVar[bool] = False
    """Whether the answer of a run is the point of its last step, not the best point of all steps. Such a run is never
    started again at a lower point."""
    own_inner: ClassVar[InnerSolver | None] = None
    """The solver of (D) where it is a part of the method; None where the user's choice is used."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "state_type" in cls.__dict__:
            return
        for base in cls.__dict__.get("__orig_bases__", ()):
            for argument in get_args(base):
                if isinstance(argument, type) and issubclass(argument, State):
                    cls.state_type = argument

    @property
    def rescales(self) -> bool:
        """Whether the method works with w_i/scale_i, so that its steps do not depend on the units of the parameters."""
        return False


class Method(MethodBase, ABC, Generic[S]):
    """One outer method: a frozen dataclass of its options.

    A step is a function of (oracle, state). A method never loops over iterations, prints, times or decides to stop:
    ``solve`` does.
    """

    @abstractmethod
    def init(self, oracle: Oracle, w0: Vector) -> S:
        """The state at w0."""

    @abstractmethod
    def step(self, oracle: Oracle, state: S) -> S:
        """The state after one iteration."""

    def with_second_derivatives(self, state: S, probe: HessianProbe) -> S:
        """The state with the second derivatives that a Hessian probe at the best point has measured."""
        return state


class ExternalMethod(MethodBase, ABC):
    """A method whose loop belongs to another library, which reports back after each of its iterations."""

    @abstractmethod
    def run(
        self, oracle: Oracle, w0: Vector, stopping: Stopping, observe: Callable[[State], bool], last: State | None
    ) -> str:
        """Iterate until ``observe(state)`` says stop, or the library ends by itself; returns the library's message.

        ``last`` is the last state that was observed before a resumption, or None: it and the states before it are not
        observed again.
        """


AnyMethod: TypeAlias = Method[Any] | ExternalMethod
