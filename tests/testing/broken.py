"""Messages of broken contracts, taken apart."""

from __future__ import annotations

import re

import numpy as np
import pytest

from saddleback.testing import ContractError


def failures(check, *args, **kwargs) -> dict[str, str]:
    """The failed checks by name."""
    with pytest.raises(ContractError) as caught:
        check(*args, **kwargs)
    return dict(re.findall(r"^  \d+\. \[([^\]]*)\] (.*)$", str(caught.value), re.MULTILINE))


def vector(message: str, name: str) -> np.ndarray:
    """The first vector after ``name`` in a message."""
    return np.array([float(x) for x in re.search(name + r" \[([^\]]*)\]", message)[1].split(",")])


def numbers(message: str, pattern: str) -> tuple[float, ...]:
    """The groups of a pattern, as numbers."""
    return tuple(
        float(x) for x in re.search(pattern.replace("#", r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"), message).groups()
    )
