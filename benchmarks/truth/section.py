"""A section of the benchmark: numbered cases, a judge, and limits on its counts."""

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
    """One kind of check on many cases.

    ``judge(rng, number)`` generates case ``number`` from the generator alone and runs it: the same seed and number give
    the same case, whichever others run. It returns one outcome for each run of the solver.
    """

    name: str
    title: str
    about: str
    """A description for the page: the cases, how their answers are known, and the counts."""
    judge: Callable[[np.random.Generator, int], Sequence[Outcome]]
    limits: tuple[Limit, ...]
    sizes: Mapping[Scale, int]

    def generator(self, seed: int, number: int) -> np.random.Generator:
        """The random generator of a case."""
        return np.random.default_rng([seed, crc32(self.name.encode()), number])

    def try_case(self, seed: int, number: int) -> Sequence[Outcome]:
        """The outcomes of case ``number``."""
        return self.judge(self.generator(seed, number), number)
