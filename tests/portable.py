"""Runs the tests marked ``blas`` as on other CPUs: python tests/portable.py (or make test-portable).

OpenBLAS, NumPy, Numba, PIQP and the C library each pick code for the CPU they find, and each choice rounds differently.
A mode restricts all of them to the features of an older CPU. Only modes that this machine supports are run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Mode:
    """A CPU to imitate, as each library names it."""

    openblas: str
    """A name of OpenBLAS's own list of cores."""
    numba: str
    """A name of LLVM's list of processors."""
    piqp: str
    """Which build of PIQP to load: "avx2" or "plain"."""
    numpy: tuple[str, ...] = ()
    """Prefixes of the CPU features that NumPy must not use."""
    libc: tuple[str, ...] = ()
    """CPU features that the C library must not use."""

    def environment(self, found: Collection[str]) -> dict[str, str]:
        """The environment variables of the mode, given the CPU features for which NumPy has code."""
        return {
            "OPENBLAS_CORETYPE": self.openblas,
            "OPENBLAS_NUM_THREADS": "1",
            "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in found if name.startswith(self.numpy)),
            "NUMBA_CPU_NAME": self.numba,
            "NUMBA_CPU_FEATURES": "",
            "PIQP_BUILD": self.piqp,
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in self.libc),
        }


# AVX2 and fused multiply-add, as in laptops and most servers; without AVX-512.
HASWELL = Mode("Haswell", "haswell", "avx2", numpy=("AVX512", "X86_V4"), libc=("AVX512F",))
# SSE4.2, without fused multiply-add.
NEHALEM = Mode("Nehalem", "nehalem", "plain", numpy=("AVX", "FMA", "X86_V3", "X86_V4"), libc=("AVX2", "FMA", "AVX512F"))
# The baseline of 64-bit x86 for OpenBLAS and LLVM.
OLDEST = Mode("Prescott", "generic", "plain", numpy=NEHALEM.numpy, libc=NEHALEM.libc)


def modes(flags: Collection[str]) -> tuple[Mode, ...]:
    """Two modes other than the machine's own, by the flags of the CPU; none if it is not x86."""
    if "sse4_2" not in flags:
        return ()
    return (HASWELL if "avx512f" in flags else NEHALEM, OLDEST)


def cpu_flags(cpuinfo: str) -> frozenset[str]:
    """The flags of the first CPU of /proc/cpuinfo."""
    lines = (line.partition(":") for line in cpuinfo.splitlines())
    return frozenset(next((value.split() for key, _, value in lines if key.strip() == "flags"), ()))


def main(arguments: list[str]) -> int:
    path = Path("/proc/cpuinfo")
    chosen = modes(cpu_flags(path.read_text(encoding="utf-8") if path.exists() else ""))
    if not chosen:
        print("no other mode is known for this machine: nothing is run")
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    for mode in chosen:
        environment = mode.environment(found)
        print(*(f"{name}={value!r}" for name, value in environment.items()), flush=True)
        command = [sys.executable, "-m", "pytest", "-m", "blas", "-n", "auto", *arguments]
        status = subprocess.run(command, env=os.environ | environment, cwd=ROOT, check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
