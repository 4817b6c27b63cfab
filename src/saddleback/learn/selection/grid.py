"""The grid of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..._validation import number
from ...errors import ProblemError
from ..fitting.candidate import Candidate, Prior, read_prior, read_share

WORST_WEIGHTS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
PRIORS = (0.0, 0.5, 1.0)
AUTO = "auto"
L2S_OF_CLASSES = (1e-4, 1e-3, 1e-2, 1e-1)
L2S_OF_NUMBERS = (1e-3, 1e-2, 1e-1, 1.0)
"""Ten times as large: the squared loss has curvature 2, the logistic one at most 1/4, and it is their ratio to the
penalty that shrinks coefficients."""
L2S_OF_CORRECTIONS = (1e-3, 1e-2, 1e-1, 1.0, 10.0)
"""Larger than those of whole models: the user's model has learned most of what there is, and at 10 little more than the
intercept is corrected. On drug by country nothing below 1 is confirmed for gradient boosting."""


def make_candidates(worst_weights: Any, priors: Any, l2s: Any, names: list[Any]) -> list[Candidate]:
    """All combinations, from the largest penalty to the least, each from the average model to the worst-group model.

    The average model, with prior 0 and worst weight 0, is always among them. A prior has no effect where the worst
    weight is 1, nor has either of them for one group: such candidates occur once.
    """
    weights, penalties = read_worst_weights(worst_weights, always=(0.0,)), read_penalties(l2s)
    if len(names) == 1:
        return [Candidate(0.0, 0.0, l2) for l2 in penalties]
    mixes = [0.0, *(prior for prior in (read_prior(prior, names) for prior in _priors(priors)) if not _is_zero(prior))]
    return [
        Candidate(p, prior, l2)
        for l2 in penalties
        for k, prior in enumerate(_distinct(mixes))
        for p in weights
        if p < 1.0 or k == 0
    ]


def read_worst_weights(values: Any, always: tuple[float, ...]) -> list[float]:
    """Numbers from 0 to 1 in their order, each once, those of ``always`` among them."""
    return sorted({*always, *(read_share(p, "worst_weights") for p in _listed(values, "worst_weights"))})


def penalties_of(l2s: Any, *, classes: bool) -> Any:
    """The penalties to try where they are "auto": by the kind of target."""
    if isinstance(l2s, str) and l2s == AUTO:
        return L2S_OF_CLASSES if classes else L2S_OF_NUMBERS
    return l2s


def read_penalties(values: Any) -> list[float]:
    """Penalties from the largest to the least, each once."""
    return sorted({number(l2, "l2s", minimum=0.0) for l2 in _listed(values, "l2s")}, reverse=True)


def parameters_of(candidates: list[Candidate]) -> dict[str, list[Any]]:
    """The columns that name the candidates in a table."""
    return {
        "worst_weight": [candidate.worst_weight for candidate in candidates],
        "prior": [candidate.prior for candidate in candidates],
        "l2": [candidate.l2 for candidate in candidates],
    }


def _priors(priors: Any) -> list[Any]:
    """One prior by itself is a list of one."""
    single = isinstance(priors, str | Mapping) or not isinstance(priors, Iterable)
    return [priors] if single else list(priors)


def _is_zero(prior: Prior) -> bool:
    return isinstance(prior, float) and prior == 0.0


def _distinct(mixes: list[Prior]) -> list[Prior]:
    """Numbers in their order, each once; vectors after them."""
    numbers = sorted({prior for prior in mixes if isinstance(prior, float)})
    return [*numbers, *(prior for prior in mixes if not isinstance(prior, float))]


def _listed(values: Any, name: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        auto = f" or {AUTO!r}" if name == "l2s" else ""
        raise ProblemError(f"{name} must be a list of numbers{auto}; got {values!r}.")
    listed = list(values)
    if not listed:
        raise ProblemError(f"{name} must hold at least one number; got none.")
    return listed
