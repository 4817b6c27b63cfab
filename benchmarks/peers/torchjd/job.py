"""Jacobian descent on the group losses by TorchJD: MGDA and UPGrad, which converge to Pareto stationary points."""

from __future__ import annotations

from typing import Any

import torch
from torchjd.aggregation import MGDA, UPGrad
from torchjd.autojac import backward, jac_to_grad

from ..assignment import Assignment
from ..tape import Tape, carry_out
from ..torch_losses import GroupLosses

AGGREGATORS = {"TorchJD, MGDA": MGDA, "TorchJD, UPGrad": UPGrad}
LEARNING_RATES = (0.01, 0.03, 0.1)


def solve(task: Assignment, tape: Tape) -> None:
    losses = GroupLosses(task)
    for name, aggregator in AGGREGATORS.items():
        _step(losses, losses.start(), aggregator())
        for learning_rate in LEARNING_RATES:
            with tape.run(name, f"Adam {learning_rate:g}"):
                _descend(losses, aggregator(), learning_rate, tape)


def _descend(losses: GroupLosses, aggregator: Any, learning_rate: float, tape: Tape) -> None:
    w = losses.start()
    optimizer = torch.optim.Adam([w], lr=learning_rate)
    while True:
        tape.note(w.detach().numpy())
        optimizer.zero_grad()
        _step(losses, w, aggregator)
        optimizer.step()


def _step(losses: GroupLosses, w: Any, aggregator: Any) -> None:
    """The aggregated Jacobian becomes the gradient of w."""
    backward(losses(w))
    jac_to_grad([w], aggregator)


if __name__ == "__main__":
    carry_out(solve)
