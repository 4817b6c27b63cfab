"""Without pyarrow the room says how to install it."""

from __future__ import annotations

import importlib
import sys

import pytest

from saddleback.errors import MissingDependencyError


def test_how_to_install_it_is_said(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[:2] == ["saddleback", "tabular"]]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'saddleback\[table\]'.*pip install '\.\[table\]'"):
        importlib.import_module("saddleback.tabular")
