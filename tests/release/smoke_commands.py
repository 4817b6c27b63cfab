"""What an install with the extra ``cli`` must do; installs.py runs this in a fresh environment, with the version as
argument.

A user's first hour: a table with words, numbers and gaps becomes a model, predictions and a report.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from pathlib import Path

import saddleback as sb

PROGRAM = str(Path(sys.executable).with_name("saddleback"))
# Files that released versions have written, by version.
OLD_FILES = Path(__file__).resolve().parents[1] / "storage" / "files"
N_ROWS, N_NEW = 600, 40
COLUMNS = ("income", "job", "years", "race", "sex", "approved")


def command(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """A command that must end with this status."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def write_applicants(path: str, n: int, seed: int) -> None:
    """Applicants for a loan; for one group in four income says less."""
    draw = random.Random(seed)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for _ in range(n):
            race, sex, job = draw.choice("AAB"), draw.choice(["f", "m"]), draw.choice(["clerk", "nurse", "smith"])
            income, years = draw.gauss(30, 8), draw.randrange(20)
            says = 0.3 if (race, sex) == ("B", "f") else 1.0
            score = says * (income - 30) / 8 + 0.1 * (years - 10) + (job == "nurse") + draw.gauss(0, 0.7)
            shown = "" if draw.random() < 0.05 else f"{income:.1f}"
            table.writerow([shown, job, years, race, sex, "yes" if score > 0 else "no"])


def a_table_becomes_a_model() -> None:
    write_applicants("loans.csv", N_ROWS, seed=0)
    groups = ("--group", "race", "--group", "sex")
    command("fit", "loans.csv", "--target", "approved", *groups, "--out", "model.safetensors")
    assert type(sb.load("model.safetensors")).__module__.startswith("saddleback.")


def new_rows_are_predicted() -> None:
    write_applicants("new.csv", N_NEW, seed=1)
    command("predict", "model.safetensors", "new.csv", "--out", "predictions.csv")
    with open("predictions.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert len(rows) == N_NEW
    assert any({row[column] for row in rows} == {"yes", "no"} for column in range(len(header))), (header, rows[0])


def the_model_is_reported() -> None:
    """The page needs its templates, which are files of the wheel."""
    for name in ("report.html", "report.md", "report.json"):
        command("report", "model.safetensors", "--out", name)
    page = Path("report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>"), page[:80]
    assert "Content-Security-Policy" in page
    assert "Provenance" in Path("report.md").read_text(encoding="utf-8")
    evidence = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert (evidence["format"], evidence["task"]) == ("saddleback report", "classification")
    assert evidence["provenance"]["versions"]["saddleback"] == sb.__version__


def old_files_are_loaded() -> None:
    files = sorted(OLD_FILES.glob("v*/*.safetensors"))
    assert len(files) > 5, files
    for file in files:
        sb.load(file)


def wrong_input_is_named_in_one_line() -> None:
    before = set(Path.cwd().iterdir())
    for arguments, word in (
        (("fit", "no.csv", "--target", "approved", "--group", "sex", "--out", "m.safetensors"), "no.csv"),
        (("fit", "loans.csv", "--target", "aproved", "--group", "sex", "--out", "m.safetensors"), "approved"),
        (("predict", "loans.csv", "new.csv", "--out", "p.csv"), "loans.csv"),
    ):
        done = command(*arguments, "--quiet", status=2)
        assert word in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
    assert set(Path.cwd().iterdir()) == before


def main(version: str) -> None:
    assert command("--version").stdout.strip() == version
    listed = command("--help").stdout
    for name in ("fit", "predict", "report", "path", "certify", "demo", "bench", "reproduce"):
        assert name in listed, name
    a_table_becomes_a_model()
    new_rows_are_predicted()
    the_model_is_reported()
    old_files_are_loaded()
    wrong_input_is_named_in_one_line()


if __name__ == "__main__":
    main(sys.argv[1])
