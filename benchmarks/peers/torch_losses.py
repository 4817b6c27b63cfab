"""The group losses in PyTorch, for the peers that have it."""

from __future__ import annotations

from typing import Any

import torch

from .assignment import LARGE, Assignment


class GroupLosses:
    """f_j(w) = mean over group j of log(1 + exp(-y x'w)) + l2/2 |w|^2, the whole table at once."""

    def __init__(self, task: Assignment) -> None:
        # Reading a large table dominates a step, and single precision halves it.
        dtype = torch.float32 if task.X.size >= LARGE else torch.float64
        self.X = torch.from_numpy(task.design).to(dtype)
        self.y = torch.from_numpy(task.y).to(dtype)
        self.groups = torch.from_numpy(task.groups)
        self.sizes = torch.from_numpy(task.sizes).to(dtype)
        self.penalty = torch.from_numpy(task.penalty).to(dtype)

    def start(self) -> Any:
        """w = 0, with gradients enabled."""
        return torch.zeros(self.X.shape[1], dtype=self.X.dtype, requires_grad=True)

    def uniform(self) -> Any:
        """The same weight for each group."""
        return torch.full_like(self.sizes, 1.0 / len(self.sizes))

    def __call__(self, w: Any) -> Any:
        rows = torch.nn.functional.softplus(-self.y * (self.X @ w))
        totals = torch.zeros_like(self.sizes).index_add(0, self.groups, rows)
        return totals / self.sizes + 0.5 * (self.penalty * w * w).sum()
