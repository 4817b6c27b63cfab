"""Losses that pass every call on to other losses: the base of those that count or time the calls."""

from __future__ import annotations

from functools import partial
from typing import Any

from saddleback.capabilities import lack

HESSIANS = ("hessian", "loss_hessians", "sampled_hessian", "sampled_margins", "hessian_on_margins")


class LossesProxy:
    """The losses that it is given, with the same capabilities; ``_call`` sees every call of a function on the data."""

    def __init__(self, losses: Any) -> None:
        self._losses = losses
        self.n_losses, self.n_params = int(losses.n_losses), int(losses.n_params)

    def evaluate(self, w: Any) -> Any:
        return self._call("evaluate", w)

    def lacks(self, capability: type) -> str | None:
        return lack(self._losses, capability)

    def __getattr__(self, name: str) -> Any:
        # The optional members of the losses are not known in advance: a user's losses may have any subset of them.
        offer = getattr(self._losses, name)
        return partial(self._call, name) if name in ("values", *HESSIANS) else offer

    def _call(self, name: str, *arguments: Any) -> Any:
        return getattr(self._losses, name)(*arguments)
