"""Group DRO (Sagawa et al. 2020, Algorithm 1): exponentiated gradient on the group weights, Adam on w, full batches."""

from __future__ import annotations

from itertools import product

import torch

from ..assignment import Assignment
from ..tape import Tape, carry_out
from ..torch_losses import GroupLosses

NAME = "PyTorch, group DRO"
LEARNING_RATES = (0.01, 0.03, 0.1)
WEIGHT_STEPS = (0.1, 1.0)
# Steps after which both step sizes have fallen by sqrt(2): constant ones end in a limit cycle.
PATIENCE = 100


def solve(task: Assignment, tape: Tape) -> None:
    losses = GroupLosses(task)
    losses(losses.start()).sum().backward()
    for learning_rate, eta in product(LEARNING_RATES, WEIGHT_STEPS):
        with tape.run(NAME, f"Adam {learning_rate:g}, weights {eta:g}"):
            _descend(losses, learning_rate, eta, tape)


def _descend(losses: GroupLosses, learning_rate: float, eta: float, tape: Tape) -> None:
    w, q = losses.start(), losses.uniform()
    optimizer = torch.optim.Adam([w], lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _shrink)
    k = 0
    while True:
        tape.note(w.detach().numpy())
        optimizer.zero_grad()
        f = losses(w)
        q = torch.softmax(q.log() + eta * _shrink(k) * f.detach(), 0)
        (q @ f).backward()
        optimizer.step()
        schedule.step()
        k += 1


def _shrink(k: int) -> float:
    return (1.0 + k / PATIENCE) ** -0.5


if __name__ == "__main__":
    carry_out(solve)
