"""The type of the states in a checkpoint: the one that the method declares, or the one that its ``init`` makes.

A file names the class of its state. The name is only compared with these two: nothing is imported for it.
"""

from __future__ import annotations

from pathlib import Path

from ..method import AnyMethod, Method, State
from ..oracle import Oracle
from .container import Unreadable, open_regular, read_header

STATE_CLASS = "state.class"


def holds_declared_type(path: Path, method: AnyMethod) -> bool:
    """Whether a file holds states of ``method.state_type``; True also for unreadable files, which `load` refuses."""
    declared = method.state_type.__name__
    try:
        with open_regular(path) as file:
            return not isinstance(method, Method) or read_header(file).texts.get(STATE_CLASS, declared) == declared
    except Unreadable:
        return True


def type_made_by(method: AnyMethod, oracle: Oracle) -> type[State]:
    """The type of the state that ``init`` returns at w0. The oracle has evaluated w0; further evaluations count."""
    return type(method.init(oracle, oracle.w0)) if isinstance(method, Method) else method.state_type
