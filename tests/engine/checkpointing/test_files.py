"""Where checkpoints are written: other files are not overwritten, files are complete, full disks only warn."""

import os
import socket
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from checkpoints import assert_same_bits, run

import saddleback as sb
from saddleback.machine import files as _files

POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes, links and modes are those of POSIX")


def never(w):
    raise AssertionError("evaluated")


LOSSES = type("Never", (), {"n_losses": 2, "n_params": 2, "evaluate": staticmethod(never)})()


def refusal(path, resume):
    """The message with which a path is refused before anything is evaluated, by both doors."""
    with pytest.raises(sb.ProblemError) as caught:
        sb.solve(sb.Problem(LOSSES), checkpoint=path, resume=resume)
    with pytest.raises(sb.ProblemError) as plain:
        sb.minimax(never, [1.0, 1.0], jac=True, checkpoint=path, resume=resume)
    assert str(plain.value) == str(caught.value)
    return str(caught.value)


@POSIX
@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_devices_are_refused(path, resume):
    before = os.stat(path).st_mode
    assert "must be a file" in refusal(path, resume)
    assert os.stat(path).st_mode == before


@POSIX
@pytest.mark.parametrize("resume", [False, True])
def test_pipes_sockets_and_directories_are_refused(tmp_path, resume):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is a pipe" in refusal(pipe, resume)
    link = tmp_path / "link"
    link.symlink_to(pipe)
    assert "is a pipe" in refusal(link, resume)
    for end in os.pipe():
        assert "is a pipe" in refusal(f"/dev/fd/{end}", resume)
        os.close(end)
    assert "is a directory" in refusal(tmp_path, resume)
    # The address of a socket must be short.
    name = Path("sock")
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(name))
            assert "is a socket" in refusal(name, resume)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize(
    "content", [b"x", b"My thesis, the only copy.\n", b"\x89PNG\r\n\x1a\n" + bytes(2000), bytes(64)]
)
def test_files_of_others_are_refused_and_stay(tmp_path, content, resume):
    path = tmp_path / "thesis.txt"
    path.write_bytes(content)
    assert "Delete it, or give another name" in refusal(path, resume)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_safetensors_of_others_are_refused(tmp_path):
    from safetensors.numpy import save_file

    path = tmp_path / "model.safetensors"
    save_file({"weights": np.ones(3)}, path)
    for resume in (False, True):
        refusal(path, resume)
    save_file({"weights": np.ones(3)}, path, metadata={"format": "pt"})
    for resume in (False, True):
        assert "a safetensors file of something else" in refusal(path, resume)


def test_empty_file_may_be_written_but_not_resumed(tmp_path):
    """Such as tempfile makes."""
    path = tmp_path / "run.ckpt"
    path.touch()
    assert "not a checkpoint" in refusal(path, resume=True)
    assert run(tol=1e-3, checkpoint=path).success
    assert path.stat().st_size > 1000


def test_older_checkpoint_is_replaced_without_resume(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=4, checkpoint=path)
    other = sb.Problem(sb.from_functions(lambda w: ([w @ w], [2 * w]), np.ones(2), jac=True))
    assert sb.solve(other, np.ones(2), checkpoint=path).success
    assert sb.solve(other, checkpoint=path, resume=True).success


@pytest.mark.parametrize("path", [3, None, b"bytes", "", "no/such/place", "a\0b", "x" * 300, ["list"]])
def test_paths_that_are_none(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "checkpoint" in refusal(path, resume=True)
    if path is not None:
        assert "checkpoint" in refusal(path, resume=False)


@POSIX
def test_link_is_followed_and_stays(tmp_path):
    (tmp_path / "disk").mkdir()
    target, link = tmp_path / "disk" / "real.ckpt", tmp_path / "link.ckpt"
    link.symlink_to(Path("disk") / "real.ckpt")
    run(max_iter=3, checkpoint=link)
    assert link.is_symlink()
    assert target.is_file()
    assert not target.is_symlink()
    resumed = run(max_iter=6, checkpoint=link, resume=True)
    assert_same_bits(resumed, run(max_iter=6))
    assert link.is_symlink()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["disk", "link.ckpt"]


@POSIX
def test_file_that_has_no_name_any_more_is_refused(tmp_path):
    with (tmp_path / "gone").open("w+b") as file:
        (tmp_path / "gone").unlink()
        for resume in (False, True):
            assert "the link points to a file that does not exist" in refusal(f"/dev/fd/{file.fileno()}", resume)


@POSIX
def test_links_that_lead_nowhere_or_to_somebody_are_refused(tmp_path):
    loop, thesis, link = tmp_path / "loop", tmp_path / "thesis", tmp_path / "link"
    loop.symlink_to(loop)
    thesis.write_bytes(b"the only copy")
    link.symlink_to(thesis)
    for resume in (False, True):
        assert "is not a possible path" in refusal(loop, resume)
        refusal(link, resume)
    assert thesis.read_bytes() == b"the only copy"
    away = tmp_path / "away"
    away.symlink_to(tmp_path / "missing" / "run.ckpt")
    assert "there is no directory" in refusal(away, resume=False)


@POSIX
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write anywhere")
def test_directory_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        assert "cannot write to" in refusal(tmp_path / "run.ckpt", resume=False)
    finally:
        tmp_path.chmod(0o700)


@POSIX
def test_permissions_of_the_file_stay(tmp_path):
    path = tmp_path / "run.ckpt"
    run(max_iter=2, checkpoint=path)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o600)
    run(max_iter=3, checkpoint=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@POSIX
def test_vanished_directory_costs_one_warning_and_not_the_run(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()

    def remove(progress):
        if folder.exists():
            folder.rmdir()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = run(tol=1e-6, checkpoint=folder / "run.ckpt", callback=remove, checkpoint_every=0)
    assert result.success
    assert_same_bits(result, run(tol=1e-6))
    first, last = (str(warning.message) for warning in caught)
    assert "was not written, and the run goes on without" in first
    assert "the last checkpoint was not written" in last
    assert "No such file" in last
    assert caught[0].filename.endswith("checkpoints.py"), "the line that called solve"


def test_file_of_somebody_that_appears_during_the_run_stays(tmp_path):
    path = tmp_path / "run.ckpt"

    def replaced(progress):
        if progress.n_iter == 2:
            path.write_text("my thesis")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = run(tol=1e-6, checkpoint=path, callback=replaced, checkpoint_every=0)
    assert result.success
    assert path.read_text() == "my thesis"
    assert all("is not a checkpoint of this program and stays as it is" in str(w.message) for w in caught)
    assert len(caught) == 2


@POSIX
def test_directory_that_comes_back_is_written_to_again(tmp_path):
    folder, away = tmp_path / "here", tmp_path / "away"
    folder.mkdir()

    def move(progress):
        if progress.n_iter == 2:
            folder.rename(away)
        if progress.n_iter == 4:
            away.rename(folder)

    with pytest.warns(UserWarning, match="the run goes on without"):
        run(method="accelerated", max_iter=8, checkpoint=folder / "run.ckpt", callback=move, checkpoint_every=0)
    assert_same_bits(
        run(method="accelerated", max_iter=9, checkpoint=folder / "run.ckpt", resume=True),
        run(method="accelerated", max_iter=9),
    )


FULL = """
import resource, sys, warnings
from checkpoints import run
path, most = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = run(tol=1e-6, checkpoint=path, checkpoint_every=0)
print(result.success, sum("File too large" in str(w.message) for w in caught), len(caught))
"""


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("most", [0, 1, 2000])
def test_full_disk_costs_a_warning_and_leaves_the_older_file(tmp_path, most, request):
    path = tmp_path / "run.ckpt"
    run(max_iter=2, checkpoint=path)
    before = path.read_bytes()
    command = [sys.executable, "-c", FULL, str(path), str(most)]
    done = subprocess.run(command, cwd=request.path.parents[2], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["True", "2", "2"]
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_interrupt_while_writing_leaves_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "run.ckpt"
    run(max_iter=2, checkpoint=path)
    before, real = path.read_bytes(), os.fsync

    def interrupted(handle):
        monkeypatch.setattr(os, "fsync", real)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    result = run(method="accelerated", max_iter=9, checkpoint=path, checkpoint_every=0)
    assert result.status is sb.Status.INTERRUPTED
    assert path.read_bytes() != before
    assert list(tmp_path.iterdir()) == [path]
    assert_same_bits(
        run(method="accelerated", max_iter=9, checkpoint=path, resume=True), run(method="accelerated", max_iter=9)
    )


def dead_process():
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@POSIX
def test_what_killed_processes_left_is_removed(tmp_path):
    path = tmp_path / "run.ckpt"
    prefix = _files._prefix(path)
    stale = tmp_path / f"{prefix}{dead_process()}-0123abcd.tmp"
    mine = tmp_path / f"{prefix}{os.getpid()}-0123abcd.tmp"
    kept = [
        tmp_path / f"{prefix}{os.getppid()}-0123abcd.tmp",
        tmp_path / f"{_files._prefix(tmp_path / 'other.ckpt')}{dead_process()}-0123abcd.tmp",
        tmp_path / f".run.ckpt.elsewhere-{dead_process()}-0123abcd.tmp",
        tmp_path / f"{prefix}{dead_process()}-notes.tmp",
        tmp_path / ".run.ckpt.tmp",
    ]
    for file in (stale, mine, *kept):
        file.write_bytes(b"half a checkpoint")
    linked = tmp_path / f"{prefix}{dead_process()}-00000000.tmp"
    linked.symlink_to(kept[0])
    run(max_iter=1, checkpoint=path)
    assert set(tmp_path.iterdir()) == {path, linked, *kept}


def test_file_that_is_being_written_is_not_stale(tmp_path):
    path = tmp_path / "file"
    with _files.atomic(path) as file:
        _files.remove_stale(path)
        assert Path(file.name).exists()
    assert path.exists()


def test_long_names_have_short_temporary_ones(tmp_path):
    path = tmp_path / ("n" * 250)
    run(max_iter=1, checkpoint=path, checkpoint_every=0)
    assert run(max_iter=2, checkpoint=path, resume=True).n_iter == 2
