"""What a section of the trial is: numbered cases, a judge, and limits on what the judge may find."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from zlib import crc32

import numpy as np

from .tally import Limit, Outcome

Scale: TypeAlias = Literal["small", "full"]


@dataclass(frozen=True)
class Section:
    """One question, asked of many cases.

    ``judge(rng, number)`` makes case ``number`` from the generator alone and tries it: the same seed and number give
    the same case, whichever others run. It returns one outcome for each run of the solver.
    """

    name: str
    title: str
    about: str
    """What is tried, how the truth is known and what is counted, in plain words."""
    judge: Callable[[np.random.Generator, int], Sequence[Outcome]]
    limits: tuple[Limit, ...]
    sizes: Mapping[Scale, int]

    def generator(self, seed: int, number: int) -> np.random.Generator:
        """The source of everything random in a case."""
        return np.random.default_rng([seed, crc32(self.name.encode()), number])

    def try_case(self, seed: int, number: int) -> Sequence[Outcome]:
        """What case ``number`` shows."""
        return self.judge(self.generator(seed, number), number)
