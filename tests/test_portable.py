"""Which CPUs are imitated on which machine."""

from __future__ import annotations

import pytest
from conftest import BLAS, HERE, NOT_BLAS
from portable import HASWELL, NEHALEM, OLDEST, cpu_flags, modes

CPUINFO = "processor\t: 0\nflags\t\t: fpu sse4_2 avx2\nbugs\t\t: none\n\nprocessor\t: 1\nflags\t\t: fpu\n"


def test_flags_are_those_of_the_first_cpu():
    assert cpu_flags(CPUINFO) == {"fpu", "sse4_2", "avx2"}
    assert cpu_flags("") == frozenset()


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"sse4_2", "avx2", "avx512f"}, (HASWELL, OLDEST)),
        ({"sse4_2", "avx2"}, (NEHALEM, OLDEST)),
        ({"sse4_2"}, (NEHALEM, OLDEST)),
        (set(), ()),
    ],
)
def test_only_lesser_cpus_are_imitated(flags, expected):
    """AVX-512 on a machine without it would end the process."""
    assert modes(flags) == expected


def test_numpy_is_told_what_to_leave_out():
    found = ["X86_V3", "X86_V4", "AVX512_ICL"]
    assert HASWELL.environment(found)["NPY_DISABLE_CPU_FEATURES"] == "X86_V4 AVX512_ICL"
    assert OLDEST.environment(found)["NPY_DISABLE_CPU_FEATURES"] == "X86_V3 X86_V4 AVX512_ICL"


def test_the_marked_paths_exist():
    assert all((HERE / path).exists() for path in BLAS + NOT_BLAS)
