"""Memory in bytes and in words, and the limits that a process is under."""

import subprocess
import sys

import pytest

import saddleback as sb
from saddleback.machine.memory_setting import read_memory
from saddleback.machine.resources import free_memory


@pytest.mark.parametrize(
    ("words", "n_bytes"),
    [
        (1000, 1000),
        (1e6, 1e6),
        ("1000", 1000),
        ("1.5MB", 1.5 * 2**20),
        ("1.5 mb", 1.5 * 2**20),
        ("1MiB", 2**20),
        ("64k", 2**16),
        (".5M", 2**19),
        ("2 B", 2),
    ],
)
def test_words(words, n_bytes):
    assert read_memory(words) == n_bytes


@pytest.mark.parametrize("words", ["much", "", "1XB", "-1", -1, 0, "0.1", True, float("nan"), [1], "1 2 MB", "1e3"])
def test_what_is_no_memory(words):
    with pytest.raises(sb.ProblemError, match="memory must be a number of bytes"):
        read_memory(words)


def test_more_than_there_is():
    with pytest.raises(sb.ProblemError, match="memory must not be more than is free"):
        read_memory("1000TB")


def test_half_of_what_is_free_by_default():
    assert 0.3 * free_memory() < read_memory(None) < 0.7 * free_memory()


LIMITED = """
import resource, sys
from saddleback.machine.resources import free_memory
before = free_memory()
resource.setrlimit(getattr(resource, sys.argv[1]), (2**31, 2**31))
first = free_memory()
room = bytearray(2**28)
print(before > 2**31 > first > 2**29, round((first - free_memory()) / 2**28, 2))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is read")
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process(limit):
    run = subprocess.run([sys.executable, "-c", LIMITED, limit], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "1.0"]
