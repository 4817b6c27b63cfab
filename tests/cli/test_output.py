"""What commands print."""

from __future__ import annotations

import json

import numpy as np
import pytest

from saddleback.cli.output import columns_text, command_line, group_text, say, say_json


@pytest.mark.parametrize(
    ("name", "columns", "crossed", "text"),
    [
        ("black", ["race"], True, "race=black"),
        ("(rest)", ["race"], True, "race=(rest)"),
        (("black", "f"), ["race", "sex"], True, "race=black, sex=f"),
        ("(rest)", ["race", "sex"], True, "(rest)"),
        (("sex", "f"), ["race", "sex"], False, "sex=f"),
    ],
)
def test_groups_are_written_with_their_columns(name, columns, crossed, text):
    assert group_text(name, columns, crossed=crossed) == text


def test_group_columns_are_said_to_be_crossed_only_where_they_are():
    assert columns_text(["race"], crossed=False) == "race"
    assert columns_text(["race", "sex"], crossed=True) == "race x sex"
    assert columns_text(["race", "sex"], crossed=False) == "race, sex, each by itself"


def test_json_has_no_numbers_that_json_lacks(capsys):
    say_json({"a": np.float64("nan"), "b": [np.int64(1), np.inf], 3: ("x", True, None), "c": np.array([1.5])})
    made = {"a": None, "b": [1, None], "3": ["x", True, None], "c": [1.5]}
    assert json.loads(capsys.readouterr().out) == made


def test_commands_can_be_pasted():
    assert (
        command_line(["fit", "my table.csv", "--group", "a'b"]) == "saddleback fit 'my table.csv' --group 'a'\"'\"'b'"
    )


def test_long_words_are_not_broken(capsys):
    say("x" * 300)
    assert capsys.readouterr().out == "x" * 300 + "\n"
