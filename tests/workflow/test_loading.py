"""`saddleback.load`: what each kind of file becomes, and what it needs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import saddleback as sb
from saddleback.engine.result_building import result_without_value


@pytest.fixture(scope="module")
def result():
    return sb.minimax(lambda w: [w @ w, (w - 1) @ (w - 1)], np.zeros(2), jac=lambda w: [2 * w, 2 * w - 2])


def assert_same(loaded, result):
    assert type(loaded) is sb.Result
    for name in result:
        one, two = loaded[name], result[name]
        if name == "history":
            columns = ("time", "value", "gap", "n_evals", "inner_gap", "inner_iter")
            assert all(np.array_equal(getattr(one, c), getattr(two, c), equal_nan=True) for c in columns)
        else:
            assert type(one) is type(two), name
            assert np.array_equal(one, two, equal_nan=isinstance(two, float | np.ndarray)), name
    assert str(loaded) == str(result)


def test_result(result, tmp_path):
    result.save(tmp_path / "result")
    assert_same(sb.load(tmp_path / "result"), result)
    assert_same(sb.load(str(tmp_path / "result")), result)


def test_result_of_matrices(tmp_path):
    rng = np.random.default_rng(0)
    F = [(A + A.T) / 2 for A in rng.standard_normal((3, 4, 4))]
    result = sb.solve(sb.Problem(sb.AffineMatrix(np.eye(4), F), dual_set=sb.Spectrahedron()), max_iter=200)
    assert result.dual.shape == (4, 4)
    result.save(tmp_path / "result")
    assert_same(sb.load(tmp_path / "result"), result)


def test_result_without_a_value(tmp_path):
    problem = sb.Problem(sb.from_functions(lambda w: ([w @ w], [2 * w]), np.ones(2), jac=True))
    result = result_without_value(problem, np.ones(2), "newton", sb.Status.TIME_LIMIT, 1.5)
    assert np.isnan(result.value)
    result.save(tmp_path / "result")
    assert_same(sb.load(tmp_path / "result"), result)


WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sklearn", "pyarrow", "pandas", "typer", "rich", "jinja2"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import saddleback as sb
print(sb.load(sys.argv[1]).value)
try:
    sb.load(sys.argv[2])
except sb.MissingDependencyError as error:
    print(error)
"""


@pytest.mark.slow
def test_results_need_no_extra(result, tmp_path):
    result.save(tmp_path / "result")
    model = sb.MinimaxRegressor(l2=0.1).fit(
        [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 3.0, 5.0], sensitive_features=[0, 0, 1, 1]
    )
    model.save(tmp_path / "model")
    command = [sys.executable, "-c", WITHOUT, str(tmp_path / "result"), str(tmp_path / "model")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert float(printed[0]) == result.value
    assert "pip install 'saddleback[learn]'" in printed[1]


def test_load_is_listed():
    assert "load" in dir(sb)
    assert "load" in sb.__all__
    assert sb.load.__module__ == "saddleback.workflow.loading"
