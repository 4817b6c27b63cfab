"""Errors of Python arguments in the words of the command line."""

from __future__ import annotations

import pytest

from saddleback.cli.fit_words import MOST_NOTES, _say_findings
from saddleback.cli.words import in_options


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Merge small groups by min_group_size=20, or", "Merge small groups by --min-group-size 20, or"),
        ("keep them as they are by min_group_size=1.", "keep them as they are by --min-group-size 1."),
        ("Say: task='classification' or task='regression'.", "Say: --task classification or --task regression."),
        ("with l2=0.001 lowers", "with --l2 0.001 lowers"),
        ("Pass crossed=False.", "Pass --no-crossed."),
        ("drop=['id'] leaves it out", "--drop id leaves it out"),
        ("min_group_size must be a whole number", "--min-group-size must be a whole number"),
        ("sensitive_features must hold at most", "--group must hold at most"),
        ("the column 'target=yes' is read", "the column 'target=yes' is read"),
        ("worst_weight must be between 0 and 1; got 2.", "--worst-weight must be between 0 and 1; got 2."),
        ("The weight must be", "The weight must be"),
        ("5 of 9 fits ended above; raise max_iter, or l2.", "5 of 9 fits ended above; raise --max-iter, or --l2."),
        ("stopped after 9 iterations; raise max_iter, or tol", "stopped after 9 iterations; raise --max-iter"),
        ("nothing to compare. Lower min_group_size.", "nothing to compare. Lower --min-group-size."),
        ("are left out by evidence=False.", "are left out by --no-evidence."),
        ("got 'w', which keep names as well.", "got 'w', which --keep names as well."),
        ("no column 'x', which target names.", "no column 'x', which --target names."),
        ("is the target and named by groups as well", "is the target and named by --group as well"),
    ],
)
def test_names_of_arguments_become_options(said, told):
    assert in_options(said) == told


@pytest.mark.parametrize(("more", "told"), [(1, "1 more note is in the report"), (2, "2 more notes are in the report")])
def test_notes_that_are_only_counted(more, told, capsys):
    _say_findings([{"kind": "rare", "severity": "note", "message": "A level is rare."}] * (MOST_NOTES + more))
    assert f"Note: {told} and in --json.\n" in capsys.readouterr().out
