"""Damaged files through the readers, some hundreds of them; `python -m benchmarks.fuzz` runs more."""

from __future__ import annotations

import pytest

from benchmarks.fuzz.mutator import CHANGES, mutated
from benchmarks.fuzz.run import fuzz, main
from benchmarks.fuzz.target import Target
from benchmarks.fuzz.targets import TARGETS
from saddleback.errors import ProblemError


def test_inputs_are_the_same_for_the_same_seed_and_number():
    seeds = [b"abc,def\n1,2\n" * 5, b"\x00\x01" * 50]
    assert [mutated(seeds, 3, i) for i in range(50)] == [mutated(seeds, 3, i) for i in range(50)]
    assert len({mutated(seeds, 3, i) for i in range(200)}) > 150
    assert len({mutated(seeds, s, 0) for s in range(200)}) > 150


def test_changes_take_empty_files():
    assert all(isinstance(mutated([b""], 0, i), bytes) for i in range(100))
    assert len(CHANGES) > 8


def test_what_counts_as_a_failure():
    def raising(error):
        def read(data):
            raise error

        return Target("t", read, list)

    assert raising(ProblemError("no.")).outcome(b"") == "refused"
    with pytest.raises(KeyError):
        raising(KeyError("x")).outcome(b"")
    with pytest.raises(AssertionError, match="not one readable line"):
        raising(ProblemError("two\nlines")).outcome(b"")


def test_seeds_are_mostly_read():
    target = TARGETS["tables"]
    outcomes = [target.outcome(data) for data in target.seeds()]
    assert outcomes.count("refused") < len(outcomes) / 2


@pytest.mark.slow
def test_damaged_tables():
    tally = fuzz("tables", 600, seed=7, quiet=True)
    assert tally.failures == []
    assert tally.done == 600
    assert tally.outcomes["encoded"] > 30


@pytest.mark.slow
def test_the_command(capsys):
    assert main(["tables", "--n", "20", "--seed", "1", "--first", "1000"]) == 0
    assert "tables: 20 inputs" in capsys.readouterr().out
