"""What a bare install must do; installs.py runs this in a fresh environment, with the version as argument.

Only the standard library, NumPy and the package are imported: there is no pytest there.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np

import saddleback as sb

# Files that released versions have written, by version.
OLD_FILES = Path(__file__).resolve().parents[1] / "storage" / "files"
# Packages of the extras. Were one of them installed, this would not be a bare install.
OPTIONAL = ("jinja2", "matplotlib", "pandas", "pyarrow", "rich", "sklearn", "typer")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def the_package_is_the_installed_one(version: str) -> None:
    assert Path(sb.__file__).is_relative_to(sys.prefix), sb.__file__
    assert sb.__version__ == version
    assert not [name for name in OPTIONAL if importlib.util.find_spec(name) is not None]
    assert not [name for name in sb.__all__ if getattr(sb, name, None) is None]


def functions_are_solved_with_a_certificate() -> None:
    """The smallest circle around four towns: center (2, 1.5), squared radius 6.25."""
    towns = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [1.0, 1.0]])
    result = sb.minimax(lambda w: (((w - towns) ** 2).sum(axis=1), 2 * (w - towns)), w0=[0, 0], jac=True)
    assert result.success, result
    assert result.lower_bound <= 6.25 + 1e-12
    assert result.value >= 6.25 - 1e-12
    assert result.gap <= 1e-6


def a_table_is_solved_and_anyone_can_check_it() -> None:
    """Logistic regression of two groups; the compiled kernels run here."""
    rng = np.random.default_rng(0)
    X, groups = rng.standard_normal((2000, 5)), np.arange(2000) % 2
    y = X[:, 0] * np.where(groups, 1.0, -0.3) + rng.standard_normal(2000) > 0
    problem = sb.Problem(sb.GroupedLinear(X, y, groups, l2=1e-3))
    result = sb.solve(problem)
    assert result.success, result
    assert result.certified
    checked = sb.certify(problem, result.w, result.dual)
    assert abs(checked.value - result.value) <= 1e-12
    assert checked.gap <= 1e-4


def a_run_goes_on_from_its_checkpoint() -> None:
    def losses(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.array([w @ w, ((w - 1) ** 2).sum()]), np.array([2 * w, 2 * (w - 1)])

    problem = sb.Problem(sb.from_functions(losses, np.zeros(3), jac=True))
    sb.solve(problem, checkpoint="run.ckpt", callback=lambda now: now.n_iter == 1)
    assert sb.solve(problem, checkpoint="run.ckpt", resume=True).success


def a_result_is_saved_and_loaded() -> None:
    result = sb.minimax(lambda w: [w @ w, (w - 1) @ (w - 1)], np.zeros(2), jac=lambda w: [2 * w, 2 * w - 2])
    result.save("result.safetensors")
    loaded = sb.load("result.safetensors")
    assert isinstance(loaded, sb.Result)
    assert (loaded.value, loaded.w.tobytes()) == (result.value, result.w.tobytes())


def old_results_are_loaded() -> None:
    files = sorted(OLD_FILES.glob("v*/result*.safetensors"))
    assert files
    for file in files:
        assert isinstance(sb.load(file), sb.Result), file


def what_is_missing_is_named() -> None:
    """Estimators need scikit-learn, whether they are made or loaded."""
    (model,) = OLD_FILES.glob("v0.2.0/classifier.safetensors")
    for ask in (lambda: sb.MinimaxClassifierCV, lambda: sb.load(model)):
        try:
            given = ask()
        except sb.MissingDependencyError as error:
            message = str(error)
        else:
            raise AssertionError(f"{given} needs scikit-learn, which is not installed")
        assert "saddleback[learn]" in message, message


def commands_say_what_to_install(version: str) -> None:
    program = str(Path(sys.executable).with_name("saddleback"))
    for arguments in ((program,), (program, "fit", "table.csv"), (sys.executable, "-m", "saddleback")):
        done = command(*arguments)
        assert done.returncode == 2, done
        assert "pip install 'saddleback[cli]'" in done.stderr, done
        assert "pip install '.[cli]'" in done.stderr, done
        assert len(done.stderr.splitlines()) == 1, done
    for arguments in ((program, "--version"), (sys.executable, "-m", "saddleback", "--version")):
        done = command(*arguments)
        assert (done.returncode, done.stdout.strip(), done.stderr) == (0, version, ""), done


def main(version: str) -> None:
    the_package_is_the_installed_one(version)
    functions_are_solved_with_a_certificate()
    a_table_is_solved_and_anyone_can_check_it()
    a_run_goes_on_from_its_checkpoint()
    a_result_is_saved_and_loaded()
    old_results_are_loaded()
    what_is_missing_is_named()
    commands_say_what_to_install(version)


if __name__ == "__main__":
    main(sys.argv[1])
