"""Files of any kind: written in one atomic step, read without executing code."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ..errors import ProblemError
from ..machine.destination import shown, write_file
from .container import (
    MOST_AXES,
    NAMES,
    RESERVED,
    Array,
    Unreadable,
    open_regular,
    read_arrays,
    read_header,
    type_name,
    write,
)
from .destination import checked_destination
from .kinds import KINDS


@dataclass(frozen=True, eq=False)
class Stored:
    """The contents of a file, as they are: the types and shapes are consistent, what they mean is not checked yet."""

    kind: str
    version: int
    """The version of the format of this kind."""
    written_by: str
    """The program and its version."""
    texts: dict[str, str]
    arrays: dict[str, Array]


def save(path: str | PathLike[str], kind: str, texts: Mapping[str, str], arrays: Mapping[str, Array]) -> None:
    """Write one file, in one atomic step: it is there as a whole, or what was there stays.

    Parameters
    ----------
    path : path
        The file. Its folder must exist. A file of this program is replaced, any other one is refused and stays; of a
        link, the file that it names is written.
    kind : "model", "result", "path" or "checkpoint"
        What it is; a file is refused where another kind is expected.
    texts : dict of str
        Short texts by name. They stand in the header, which has at most a million bytes; long ones are arrays made by
        `json_array`.
    arrays : dict of arrays
        Numbers or truth values by name, with at most two axes.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> from saddleback import storage
    >>> path = os.path.join(tempfile.mkdtemp(), "some.safetensors")
    >>> storage.save(path, "model", {"class": "Mine"}, {"coef": np.arange(3.0)})
    >>> stored = storage.load(path)
    >>> stored.kind, stored.version, stored.texts, stored.arrays
    ('model', 1, {'class': 'Mine'}, {'coef': array([0., 1., 2.])})
    """
    if kind not in KINDS:
        raise ProblemError(f"kind must be one of {', '.join(map(repr, KINDS))}; got {kind!r}.")
    texts = {name: _encodable(text) for name, text in texts.items()}
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    _check_contents(texts, arrays)
    file = checked_destination(path, "path")
    write_file(file, lambda opened: write(opened, KINDS[kind], texts, arrays))


def load(path: str | PathLike[str], kinds: Collection[str] = tuple(KINDS)) -> Stored:
    """Read one file; a ProblemError in one line says what is wrong with it.

    Damaged and cut off files, files of other programs and of newer versions, pipes and devices are refused. Sizes are
    compared with the length of the file before anything is allocated, and nothing in a file is executed.

    Parameters
    ----------
    path : path
        The file.
    kinds : list of str
        The kinds that are expected; all by default.
    """
    with refusing(path):
        try:
            file = Path(path)
        except TypeError:
            raise ProblemError(f"path must be a path of a file; got {path!r:.100}.") from None
        with open_regular(file) as opened:
            header = read_header(opened, kinds)
            arrays = read_arrays(opened, header)
    return Stored(header.kind.name, header.version, header.written_by, header.texts, arrays)


@contextmanager
def refusing(path: str | PathLike[str]) -> Iterator[None]:
    """Turns Unreadable, wherever the contents of a file are read, into a ProblemError that names the file."""
    try:
        yield
    except Unreadable as reason:
        raise ProblemError(f"{shown(path)} cannot be loaded: {reason}.") from None


def _encodable(text: str) -> str:
    """Lone surrogates are not valid UTF-8 and are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def _check_contents(texts: Mapping[str, str], arrays: Mapping[str, Array]) -> None:
    taken = [name for name in texts if name in RESERVED]
    if taken:
        raise ProblemError(f"a text cannot be named {taken[0]!r}, which the header uses itself; choose another name.")
    for name, array in arrays.items():
        if type_name(array.dtype) not in NAMES or array.ndim > MOST_AXES:
            raise ProblemError(
                f"the array {name!r} must hold numbers or truth values, with at most {MOST_AXES} axes; got "
                f"{array.dtype} {array.shape}."
            )
