"""The exceptions and warnings that Saddleback raises on purpose."""

from __future__ import annotations

import sys
import warnings


class SaddlebackError(Exception):
    """Base class of every error that Saddleback raises on purpose."""


class ProblemError(SaddlebackError, ValueError):
    """The input is wrong: a shape, a value, a name."""


class IncompatibleError(SaddlebackError):
    """The parts do not work together; the message names what is missing and what would work."""


class MissingDependencyError(SaddlebackError, ImportError):
    """An optional package is needed and not installed; the message says how to install it."""


class ClusterError(SaddlebackError):
    """Workers of a cluster do not answer as they must: a wrong answer, or partitions that end every worker."""


class ClusterLost(ClusterError):
    """The scheduler, or every worker, is gone; ``solve(..., checkpoint=..., resume=True)`` goes on elsewhere."""


class ConvergenceWarning(UserWarning):
    """A run ended above its tolerance; ``Result.status`` and ``Result.message`` say why."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn with the location of the calling line outside this package."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__ + "."):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)
