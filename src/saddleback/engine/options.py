"""The options that `solve` and `minimax` share."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from .._validation import flag, number
from ..errors import ProblemError
from ..subproblem import InnerSolver, inner_solver
from .checkpointing.destination import checked_path
from .method import AnyMethod
from .progress import Callback
from .stopping import Stopping

# Seconds between two writings of a checkpoint unless the user says otherwise.
CHECKPOINT_EVERY = 30.0


@dataclass(frozen=True, eq=False)
class Options:
    """The options of one run, checked before any function of the user is called; see `solve`."""

    method: AnyMethod | None
    """None for "auto": the losses decide."""
    inner: InnerSolver
    stopping: Stopping
    callback: Callback | None
    progress: bool
    checkpoint: Path | None
    resume: bool
    radius: float | None
    checkpoint_every: float

    @staticmethod
    def checked(
        method: AnyMethod | None,
        inner: str | InnerSolver,
        tol: float,
        max_iter: int,
        time_limit: float | None,
        callback: Callback | None,
        progress: bool,
        checkpoint: str | PathLike[str] | None,
        resume: bool,
        radius: float | None,
        checkpoint_every: float,
    ) -> Options:
        """The options in the order in which `solve` takes them; a ProblemError names the first that is wrong."""
        solver = inner_solver(inner)
        stopping = Stopping(tol, max_iter, time_limit)
        progress, resume = flag(progress, "progress"), flag(resume, "resume")
        if callback is not None and not callable(callback):
            raise ProblemError(f"callback must be callable; got {type(callback).__name__}.")
        if radius is not None:
            radius = number(radius, "radius", minimum=0.0, strict=True)
        path = checked_path(checkpoint, resume)
        every = number(checkpoint_every, "checkpoint_every", minimum=0.0)
        return Options(method, solver, stopping, callback, progress, path, resume, radius, every)
