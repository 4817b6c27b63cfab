"""``saddleback reproduce`` as a user types it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import saddleback as sb
from saddleback.cli.app import app

pytestmark = pytest.mark.slow

runner = pytest.importorskip("typer.testing").CliRunner()


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "saddleback", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


def test_help_names_the_options() -> None:
    done = run("reproduce", "--help")
    assert done.returncode == 0
    for word in ("--scale", "--seed", "--out", "--max-memory", "small", "full", "theory"):
        assert word in done.stdout


def test_version() -> None:
    done = runner.invoke(app, ["--version"])
    assert (done.exit_code, done.output.strip()) == (0, sb.__version__)


def test_one_table_from_the_command_line(tmp_path: Path) -> None:
    done = run("reproduce", "c", "--scale", "tiny", "--seed", "3", "--out", str(tmp_path / "new" / "deep"))
    assert done.returncode == 0, done.stderr
    written = [Path(line) for line in done.stdout.splitlines()]
    assert [file.name for file in written] == ["table_c.md", "table_c.csv", "table_c.json", "report.md"]
    assert all(file.exists() for file in written)
    assert "seed 3" in written[-1].read_text(encoding="utf-8")
    assert "Algorithm 1, qp" in done.stderr


def test_cells_that_cannot_run_are_named_and_the_rest_is_written(tmp_path: Path) -> None:
    arguments = ["reproduce", "c", "--scale", "tiny", "--out", str(tmp_path), "--max-memory", "0.0001"]
    done = runner.invoke(app, arguments)
    assert done.exit_code == 0
    assert "could not run: (c) APGD: not enough memory" in done.output
    assert (tmp_path / "table_c.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("reproduce",),
        ("reproduce", "f"),
        ("reproduce", "b", "--scale", "huge"),
        ("reproduce", "b", "--seed", "-1"),
        ("reproduce", "b", "--seed", "x"),
        ("nonsense",),
    ],
)
def test_bad_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    done = runner.invoke(app, list(arguments))
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--max-memory", "-1", "--max-memory must be a finite number > 0; got -1.0."),
        ("--max-memory", "nan", "--max-memory must be a finite number > 0; got nan."),
        ("--out", "file", "out: cannot write to file"),
        ("--out", "", "out must name a directory; got an empty path."),
    ],
)
def test_bad_input_is_one_line_and_exits_with_2(tmp_path: Path, option: str, value: str, said: str) -> None:
    (tmp_path / "file").write_text("")
    done = run("reproduce", "b", "--scale", "tiny", option, value, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"saddleback: {said}")
    assert len(done.stderr.splitlines()) == 1


def test_an_interruption_keeps_what_has_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from saddleback.cli import main
    from saddleback.paper import laboratory

    calls = []

    def solve(*args: object, **options: object) -> sb.Result:
        calls.append(1)
        if len(calls) > 15:
            raise KeyboardInterrupt
        return sb.solve(*args, **options)

    monkeypatch.setattr(laboratory, "solve", solve)
    monkeypatch.setattr(sys, "argv", ["saddleback", "reproduce", "c", "--scale", "tiny", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert "continues from there" in capsys.readouterr().err
    kept = len(list((tmp_path / "cache").iterdir()))
    assert kept > 0
    calls.clear()
    monkeypatch.setattr(laboratory, "solve", sb.solve)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert len(list((tmp_path / "cache").iterdir())) > kept
