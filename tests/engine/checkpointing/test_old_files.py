"""Checkpoints that released versions have written are read by this one: one file per version and method in ``old``.

A new format adds files and removes none. Each was written by ``run(method=..., max_iter=3, checkpoint=...)``.
"""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import numpy as np
import pytest
import safetensors
from checkpoints import run

import saddleback as sb

OLD = sorted((Path(__file__).parent / "old").glob("*.ckpt"))


def test_every_format_has_its_files():
    assert {file.stem.partition("-")[0] for file in OLD} >= {"0.1.0"}


@pytest.mark.parametrize("file", OLD, ids=lambda file: file.stem)
def test_a_run_goes_on_from_an_old_file(file, tmp_path):
    version, _, method = file.stem.partition("-")
    with safetensors.safe_open(file, framework="np") as opened:
        assert opened.metadata()["written_by"] == f"saddleback {version}"
    # At the end of the run the file is replaced.
    path = Path(copy(file, tmp_path))
    resumed = run(method=method, checkpoint=path, resume=True)
    whole = run(method=method)
    assert resumed.n_iter > 3
    assert resumed.history.value.size == resumed.n_iter + 1, "the first iterations come from the file"
    assert resumed.status == whole.status
    # The tolerance of `run`.
    np.testing.assert_allclose(resumed.value, whole.value, rtol=1e-12)


def test_an_old_file_of_another_problem_is_refused(tmp_path):
    path = Path(copy(OLD[0], tmp_path))
    with pytest.raises(sb.ProblemError, match=r"w0"):
        run(method=OLD[0].stem.partition("-")[2], w0=np.zeros(6), checkpoint=path, resume=True)
