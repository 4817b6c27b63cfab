"""Damaged and forged files of models, results and paths through `saddleback.load`.

A damaged file has other bytes: it is refused, because its checksum does not agree. A forged file has other contents
and a checksum that agrees, as an attacker would make it: it gives an object that works, or is refused as well.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

import saddleback as sb
import saddleback.learn
from saddleback.storage.container import LENGTH, NAMES, open_regular, read_arrays, read_header, write
from saddleback.storage.kinds import KINDS

Contents = tuple[str, dict[str, str], dict[str, Any]]
"""The kind of a file, its texts and its arrays."""

WORDS = ["", "0", "-1", "1e999", "nan", "inf", "-inf", "true", "false", "9" * 18, "9" * 5000, "\u2603\n", "None", "{}"]
NUMBERS: list[float] = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.5, 2.0**53]
WHOLES = [0, 1, -1, 2, 3, 7, 255, 256, 2**31, 2**63 - 1, -(2**63)]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**63, 10**30, 0.5, -1e308, "", "a", "rows", "classes", "softmax", "poisson"),
    *([], {}, [[]], {"float": "nan"}, {"tuple": []}, {"tuple": ["a", 1]}, {"dict": []}, {"dict": [[[], 1]]}),
    *({"scalar": ["int8", 300]}, {"scalar": ["float16", 1e9]}, {"scalar": ["str", "a"]}, {"array": "parameters.0"}),
    *({"object": "Entropy", "fields": {"gamma": 1.0}}, {"object": "os.system", "fields": {}}),
    *({"object": "Polytope", "fields": {"A": [[1.0]], "b": [1.0]}}, {"object": "Newton", "fields": {"x": 1}}),
    *({"texts": ["a", "b"], "type": "<U1"}, {"texts": ["a"], "type": "<U999999"}, {"objects": [[], None]}),
]

USED_WHOLE = 4
"""Of the files whose length is a multiple of this, the object does all that it can; others predict and print."""
SAVED_AGAIN = 16
"""Of the files whose length is a multiple of this, the object is saved and loaded again: writing takes longer."""
MEMORY = 4 << 30
"""Bytes of address space of a run: a file that announces more than there is must be refused."""


# --- files to start from ----------------------------------------------------------------------------------------------


@cache
def seeds() -> list[bytes]:
    """Small files of every kind."""
    rng = np.random.default_rng(0)
    X, town = rng.standard_normal((80, 2)), np.repeat(["big", "small"], [50, 30])
    eta = X[:, 0] + np.where(town == "big", 1.0, -1.0) * X[:, 1] + rng.logistic(size=80)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(town=town, kind=pd.Categorical(np.arange(80) % 3))
    few: dict[str, Any] = {"worst_weights": [0, 1], "priors": [0], "cv": 2}
    boosting = HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4, min_samples_leaf=5)
    with threadpool_limits(1):
        saved: list[Any] = [
            sb.minimax(lambda w: [w @ w, (w - 1) @ (w - 1)], np.zeros(2), jac=lambda w: [2 * w, 2 * w - 2]),
            sb.MinimaxClassifier(l2=0.1, regularizer=sb.Entropy(0.1)).fit(X, eta > 0, sensitive_features=town),
            sb.MinimaxClassifier(l2=0.1, group_by="town").fit(frame[["a", "b", "town"]], np.digitize(eta, [-1, 1])),
            sb.MinimaxRegressor(loss="poisson").fit(X, np.abs(eta).round(), sensitive_features=town == "big"),
            sb.MinimaxClassifierCV(**few, l2s=[0.1], repeats=1).fit(X, eta > 0, sensitive_features=town),
            sb.WorstGroupCorrection(boosting, features=["a", "b"], group_by="town", rule="best", l2s=[0.1], **few).fit(
                frame, np.where(eta > 0, "yes", "no")
            ),
            sb.fairness_path(X, eta, sensitive_features=town, worst_weights=[0, 1], l2=0.1, cv=2, repeats=1),
        ]
    file, found = scratch(), []
    for item in saved:
        file.unlink(missing_ok=True)
        item.save(file)
        found.append(file.read_bytes())
    file.unlink()
    return found


@cache
def scratch() -> Path:
    """A file of this process, in memory where the system has such a folder."""
    memory = Path("/dev/shm")
    folder = memory if memory.is_dir() and os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    return folder / f"saddleback-fuzz-files-{os.getpid()}"


def contents_of(data: bytes) -> Contents:
    """What stands in a file."""
    file = scratch()
    file.write_bytes(data)
    with open_regular(file) as opened:
        header = read_header(opened)
        return header.kind.name, dict(header.texts), {k: v.copy() for k, v in read_arrays(opened, header).items()}


@cache
def sound() -> list[Contents]:
    """The contents of the seeds."""
    return [contents_of(data) for data in seeds()]


# --- forged contents --------------------------------------------------------------------------------------------------


def forged(random: Random) -> bytes:
    """A file with one or several other contents, and a checksum that agrees."""
    kind, texts, arrays = random.choice(sound())
    texts, arrays = dict(texts), dict(arrays)
    for _ in range(1 + int(random.expovariate(1.0))):
        random.choice(CHANGES)(texts, arrays, random)
    out = io.BytesIO()
    write(out, KINDS[kind], texts, arrays)
    return out.getvalue()


Change = Callable[[dict[str, str], dict[str, Any], Random], None]


def change_text(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    if texts:
        name = random.choice(sorted(texts))
        texts[name] = random.choice([*WORDS, *texts.values(), str(random.choice(WHOLES)), repr(random.choice(NUMBERS))])


def drop_part(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    names = [*sorted(texts), *sorted(arrays)]
    if names:
        name = random.choice(names)
        texts.pop(name, None)
        arrays.pop(name, None)


def add_part(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    _, other_texts, other_arrays = random.choice(sound())
    names = [*sorted(other_texts), *sorted(other_arrays)]
    name = random.choice(names)
    if name in other_texts:
        texts[name] = other_texts[name]
    else:
        arrays[name] = other_arrays[name]


def change_entries(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    name, array = _array(arrays, random)
    if name is None or array.size == 0:
        return
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(random.choice([1, 1, 1, 3, flat.size])):
        place = random.randrange(flat.size)
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                flat[place] = random.choice([*NUMBERS, random.gauss(0, 1)])
        elif array.dtype.kind == "b":
            flat[place] = not flat[place]
        else:
            limits = np.iinfo(array.dtype)
            flat[place] = min(max(random.choice([*WHOLES, random.randrange(256)]), limits.min), limits.max)
    arrays[name] = array


def change_shape(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    name, array = _array(arrays, random)
    if name is None:
        return
    changed = (
        [array[:-1], array[:0], array.reshape(-1), array.reshape(1, -1), array.reshape(-1, 1)] if array.ndim else []
    )
    changed += [np.concatenate([array, array])] if array.ndim else []
    arrays[name] = random.choice([*changed, np.zeros(random.randrange(5)), np.zeros(()), np.zeros((2, 2))])


def change_type(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    name, array = _array(arrays, random)
    if name is not None:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(random.choice(sorted(NAMES)))


def change_json(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    """Another value somewhere in JSON."""
    names = [name for name in sorted(arrays) if arrays[name].dtype == np.uint8]
    if not names:
        return
    name = random.choice(names)
    try:
        value = json.loads(arrays[name].tobytes())
    except (ValueError, RecursionError):
        return
    text = json.dumps(_replaced(value, random))
    arrays[name] = np.frombuffer(text.encode(), dtype=np.uint8)


def _replaced(value: Any, random: Random) -> Any:
    if isinstance(value, list) and value and random.random() < 0.8:
        at = random.randrange(len(value))
        if random.random() < 0.2:
            return value[:at] + value[at + 1 :] if random.random() < 0.5 else [*value, value[at]]
        return [_replaced(item, random) if i == at else item for i, item in enumerate(value)]
    if isinstance(value, dict) and value and random.random() < 0.8:
        at = random.choice(sorted(value))
        if random.random() < 0.1:
            return {k: v for k, v in value.items() if k != at}
        return {k: _replaced(v, random) if k == at else v for k, v in value.items()}
    return random.choice(VALUES)


def change_bytes(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    """Other bytes of JSON, or of a number."""
    name, array = _array(arrays, random)
    if name is None or array.size == 0:
        return
    raw = bytearray(array.tobytes())
    for _ in range(random.choice([1, 1, 2, 8])):
        raw[random.randrange(len(raw))] = random.randrange(256)
    arrays[name] = np.frombuffer(bytes(raw), dtype=array.dtype).reshape(array.shape)


def exchange(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    names = sorted(arrays)
    if len(names) > 1:
        one, two = random.sample(names, 2)
        arrays[one], arrays[two] = arrays[two], arrays[one]


def _array(arrays: dict[str, Any], random: Random) -> tuple[str | None, Any]:
    name = random.choice(sorted(arrays)) if arrays else None
    return name, None if name is None else arrays[name]


CHANGES: list[Change] = [
    change_text,
    change_text,
    drop_part,
    add_part,
    change_entries,
    change_entries,
    change_entries,
    change_shape,
    change_type,
    change_json,
    change_json,
    change_json,
    change_bytes,
    change_bytes,
    exchange,
]


# --- damaged bytes ----------------------------------------------------------------------------------------------------


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


# --- the reader -------------------------------------------------------------------------------------------------------


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


def outcome(data: bytes) -> str:
    """What came of it: "loaded" or "refused"; anything else is raised."""
    try:
        return read(data)
    except sb.ProblemError as error:
        text = str(error)
        if not text or "\n" in text or len(text) > 2000:
            raise AssertionError(f"the message is not one readable line: {text[:200]!r}") from error
        return "refused"


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
                counts[f"{kind} {outcome(data)}"] += 1
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
