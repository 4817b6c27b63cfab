"""Damaged and forged files of models, results and paths through `saddleback.load`.

A damaged file has other bytes: it is refused, because its checksum does not agree. A forged file has other contents
and a checksum that agrees, as an attacker would make it: it gives an object that works, or is refused as well.

Besides the targets of ``python -m benchmarks.fuzz``, ``python -m benchmarks.fuzz.files --n 100000`` makes both in one
process, the forged ones by changes of names, types, shapes, numbers and JSON.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import saddleback as sb
import saddleback.learn
from saddleback.storage.container import LENGTH
from saddleback.workflow.table_model import TableModel

from .forging import WORDS, forged
from .saved_files import repaired, scratch, seeds, sound
from .target import Target

ROWS = {"a": [0.0, 1.0], "b": [0.0, None], "kind": ["kind 1", "new"], "town": ["big", None]}
"""Rows for a model of a table."""
USED_WHOLE = 4
"""Of the files whose length is a multiple of this, the object does all that it can; others predict and print."""
SAVED_AGAIN = 16
"""Of the files whose length is a multiple of this, the object is saved and loaded again: writing takes longer."""
MEMORY = 4 << 30
"""Bytes of address space of a run: a file that announces more than there is must be refused."""


def damaged(random: Random) -> bytes:
    """A file with other bytes: changed, inserted, taken out, cut off, or exchanged with those of another file."""
    data = bytearray(random.choice(seeds()))
    for _ in range(1 + int(random.expovariate(1.0))):
        # The header more often than its share.
        end = len(data) if random.random() < 0.5 else min(len(data), LENGTH + 400)
        at, n = random.randrange(max(end, 1)), 1 + int(random.expovariate(0.2))
        other = random.choice(seeds())
        place = random.randrange(len(other))
        action = random.randrange(6)
        if action == 0 and data:
            data[min(at, len(data) - 1)] ^= 1 << random.randrange(8)
        elif action == 1:
            data[at : at + n] = random.randbytes(n)
        elif action == 2:
            data[at:at] = random.choice([random.randbytes(n), *(word.encode()[:50] for word in WORDS)])
        elif action == 3:
            del data[at : at + n]
        elif action == 4:
            del data[at:]
        else:
            data[at : at + n] = other[place : place + n]
    return bytes(data)


def read(data: bytes) -> str:
    """The bytes as a file through `saddleback.load`, and through what its object can do."""
    file = scratch()
    file.write_bytes(data)
    loaded = sb.load(file)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        use(loaded, whole=len(data) % USED_WHOLE == 0)
    if len(data) % SAVED_AGAIN == 0:
        loaded.save(file)
        sb.load(file)
    return "loaded"


def use(loaded: Any, *, whole: bool) -> None:
    """What is computed from a file alone."""
    if isinstance(loaded, sb.Result):
        assert str(loaded)
        loaded.to_dict()
    elif isinstance(loaded, sb.learn.FairnessPath):
        assert repr(loaded)
        assert repr(loaded.group_losses)
        for rule in ("one_se", "best", "knee", 1.0):
            assert str(loaded.selection(rule))
            if whole:
                use_model(loaded.select(rule), whole=whole)
    elif isinstance(loaded, TableModel):
        # Another encoding may ask for other columns.
        with suppress(sb.ProblemError):
            assert loaded.predict(ROWS).num_rows == 2
    else:
        use_model(loaded, whole=whole)


def use_model(model: Any, *, whole: bool) -> None:
    """Predictions, and what is printed."""
    names, n = getattr(model, "feature_names_in_", None), model.n_features_in_
    assert n < 1000
    zeros = np.zeros((2, n))
    X = zeros if names is None else pd.DataFrame(zeros, columns=names)
    prediction = model.predict(X)
    assert prediction.shape == (2,)
    if sb.learn.MinimaxClassifier.__name__ in type(model).__name__ or getattr(model, "classes_", None) is not None:
        assert set(prediction.tolist()) <= set(model.classes_.tolist())
    if whole and callable(getattr(model, "predict_proba", None)):
        assert model.predict_proba(X).shape == (2, model.classes_.size)
    assert not whole or repr(model)
    selection = getattr(model, "selection_", None)
    if selection is not None:
        assert str(selection)
        assert not whole or repr(selection.candidates)
    assert len(model.group_losses_) == len(model.group_sizes_) == len(model.group_names_)


MAKERS: dict[str, Callable[[Random], bytes]] = {"damaged": damaged, "forged": forged}


FILES = Target("files", read, seeds)
REPAIRED = Target("repaired", lambda data: read(repaired(data)), seeds)


def mutate_and_read(seed: int, n: int, *, first: int = 0, kinds: tuple[str, ...] = tuple(MAKERS)) -> Counter[str]:
    """Make and read n files; counts of what came of them, and of failures by their kind."""
    counts: Counter[str] = Counter()
    for number in range(first, first + n):
        kind = kinds[number % len(kinds)]
        data = MAKERS[kind](Random(f"{seed}-{number}"))
        if kind == "damaged" and data in seeds():
            counts["unchanged"] += 1
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                counts[f"{kind} {FILES.outcome(data)}"] += 1
        except Exception as error:
            counts[f"{kind} FAILED {type(error).__name__}: {str(error)[:160]} (number {number})"] += 1
    scratch().unlink(missing_ok=True)
    return counts


def main() -> int:
    """`python -m benchmarks.fuzz.files --n 100000`: one process; exit status 1 where a file failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    sound()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    total: Counter[str] = Counter()
    start, step = time.monotonic(), 5000
    for first in range(chosen.first, chosen.first + chosen.n, step):
        total += mutate_and_read(chosen.seed, min(step, chosen.first + chosen.n - first), first=first)
        print(f"{sum(total.values())} files in {time.monotonic() - start:.0f} s: {dict(total)}", flush=True)
    return int(any("FAILED" in word for word in total))


if __name__ == "__main__":
    raise SystemExit(main())
