"""Names, labels and paths cannot change what a terminal shows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from workflow.tables import write_rows

from saddleback.cli.output import say, say_json, say_line
from saddleback.cli.printable import printable

from .program import typed

ESCAPE, OVERRIDE, NO_WIDTH, CSI = "\x1b[2J", "\u202e", "\u200b", "\x9b2J"
HOSTILE = f"a{ESCAPE}{OVERRIDE}b{NO_WIDTH}{CSI}\rc\nd\u2028e\U000e0041"


def test_control_characters_are_escaped():
    assert printable("plain, Zürich, 東京, naïve") == "plain, Zürich, 東京, naïve"
    assert printable(HOSTILE) == r"a\x1b[2J\u202eb\u200b\x9b2J\rc\nd\u2028e\U000e0041"
    assert printable("\udcff") == r"\udcff"


def test_isolates_of_our_own_sentences_are_no_part_of_a_name():
    assert printable("The group \u2068town=Zürich\u2069 is worst off.") == "The group town=Zürich is worst off."
    assert printable("\u2068a\u2068b\u2069") == r"\u2068ab"


def test_all_ways_to_print(capsys):
    say(HOSTILE)
    say_line(HOSTILE)
    say_json({HOSTILE: HOSTILE})
    out = capsys.readouterr().out
    assert out.replace("\n", "").isprintable()
    assert len(out.splitlines()) == 5
    assert json.loads("".join(out.splitlines()[2:])) == {HOSTILE: HOSTILE}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Everything that a table can name is hostile: its file, columns, levels, groups and classes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [
        [rng.normal(), f"job{i % 3}{HOSTILE}", f"{'fm'[i % 2]}{HOSTILE}", f"{rng.integers(2)}{HOSTILE}"]
        for i in range(120)
    ]
    name = HOSTILE.replace("\n", "")
    return write_rows(tmp_path / f"t{name}.csv", [f"{column}{HOSTILE}" for column in ("age", "job", "sex", "y")], rows)


def test_commands_show_hostile_names_escaped(table):
    names = {option: f"{option}{HOSTILE}" for option in ("sex", "y")}
    data = (table.name, "--target", names["y"], "--group", names["sex"])
    quick = ("--worst-weight", "0.5", "--l2", "0.01", "--no-evidence")
    commands = [
        ("fit", *data, *quick, "--out", f"m{ESCAPE}.safetensors"),
        ("fit", *data, *quick, "--out", f"m{ESCAPE}.safetensors", "--json"),
        ("predict", f"m{ESCAPE}.safetensors", table.name, "--out", f"p{OVERRIDE}.csv", "--keep", names["sex"]),
        ("certify", f"m{ESCAPE}.safetensors", table.name),
        ("path", *data, "--l2", "0.01"),
    ]
    for command in commands:
        done = typed(*command)
        assert done.status == 0, done
        assert (done.out + done.err).replace("\n", "").isprintable()
        assert not any(line.startswith("d\\u2028e") for line in (done.out + done.err).splitlines())


def test_errors_show_hostile_names_escaped(table):
    for command in (
        ("fit", table.name, "--target", HOSTILE, "--group", "sex", "--out", "m.safetensors"),
        ("fit", table.name, "--target", "y", "--group", "sex", "--out", f"no{ESCAPE}/m.safetensors"),
        ("fit", f"none{ESCAPE}.csv", "--target", "y", "--group", "sex", "--out", "m.safetensors"),
        ("predict", f"none{ESCAPE}.safetensors", table.name, "--out", "p.csv"),
        (f"fit{ESCAPE}",),
    ):
        done = typed(*command)
        assert done.status == 2, done
        assert done.err.replace("\n", "").isprintable()
