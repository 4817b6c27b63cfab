"""What a fit of a table is asked for, and the estimator that does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.frozen import FrozenEstimator

from .._validation import whole
from ..errors import ProblemError
from ..learn import (
    MinimaxClassifier,
    MinimaxClassifierCV,
    MinimaxRegressor,
    MinimaxRegressorCV,
    WorstGroupCorrection,
)
from .option_checks import check_count, check_jobs, check_penalty, check_seed, check_share

BOOSTING = "boosting"
LOSSES_OF_CLASSES = ("auto", "logistic", "squared_hinge")
LOSSES_OF_NUMBERS = ("auto", "squared", "huber", "quantile", "poisson")


@dataclass(frozen=True)
class FitSettings:
    """How a model is fitted to rows; the fields are those arguments of `fit_table` that an estimator needs.

    They are checked here, before a table is read.
    """

    worst_weights: tuple[float, ...] = ()
    """The values of p to choose from; all of the estimator's where there are none, and one means this one."""
    l2s: tuple[float, ...] = ()
    loss: str = "auto"
    crossed: bool = True
    min_group_size: int | None = None
    missing_groups: str = "group"
    seed: int = 0
    jobs: int | None = None
    max_iter: int = 1000

    def __post_init__(self) -> None:
        for p in self.worst_weights:
            check_share(p, "worst_weight")
        for l2 in self.l2s:
            check_penalty(l2)
        if self.min_group_size is not None:
            whole(self.min_group_size, "min_group_size", minimum=1)
        check_seed(self.seed)
        check_jobs(self.jobs)
        check_count(self.max_iter, "max_iter", 1, "Leave it out for 1000.")

    def is_given(self) -> bool:
        """Whether the point of the path is given, so that nothing is chosen."""
        return len(self.worst_weights) == 1 and len(self.l2s) <= 1


def make_estimator(settings: FitSettings, task: str, correct: Any = None) -> Any:
    """The estimator for a task; ``correct`` is "boosting" or a fitted model of ours that is left in place."""
    classes = task == "classification"
    _check_loss(settings.loss, task, LOSSES_OF_CLASSES if classes else LOSSES_OF_NUMBERS)
    shared: dict[str, Any] = {
        "loss": settings.loss,
        "crossed": settings.crossed,
        "min_group_size": settings.min_group_size,
        "missing_groups": settings.missing_groups,
        "max_iter": settings.max_iter,
        "n_jobs": settings.jobs,
    }
    if correct is None and settings.is_given():
        single = MinimaxClassifier if classes else MinimaxRegressor
        penalty: dict[str, Any] = {"l2": settings.l2s[0]} if settings.l2s else {}
        return single(settings.worst_weights[0], **penalty, **shared)
    grid: dict[str, Any] = {"random_state": settings.seed}
    if settings.worst_weights:
        grid["worst_weights"] = settings.worst_weights
    if settings.l2s:
        grid["l2s"] = settings.l2s
    if correct is None:
        return (MinimaxClassifierCV if classes else MinimaxRegressorCV)(**grid, **shared)
    return WorstGroupCorrection(_corrected(correct, classes, settings.seed), **grid, **shared)


def _corrected(correct: Any, classes: bool, seed: int) -> Any:
    if isinstance(correct, str):
        return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=seed)
    return FrozenEstimator(correct)


def _check_loss(loss: str, task: str, known: tuple[str, ...]) -> None:
    if loss not in known:
        raise ProblemError(
            f"loss must be one of {', '.join(known)} for a {task}; got {loss!r}. Another kind of target is told by "
            f"task='{'regression' if task == 'classification' else 'classification'}'."
        )
