"""The peers: the rows of the tables that each fills, and the packages that it needs."""

from __future__ import annotations

from dataclasses import dataclass

from .environments import ALONE, HERE


@dataclass(frozen=True)
class Peer:
    """A folder with a job, and with ``requirements.txt`` unless it runs in the current environment."""

    folder: str
    rows: tuple[str, ...]
    """The names of its runs."""
    imports: tuple[str, ...]
    runs: int = 1
    """The largest number of runs of a job, each with the whole budget."""

    @property
    def module(self) -> str:
        return f"{__package__}.{self.folder}.job"

    @property
    def requirements(self) -> str:
        """The pinned packages of its environment, including the library itself."""
        paths = [HERE / self.folder / name for name in ("requirements.txt", ALONE)]
        return "".join(path.read_text(encoding="utf-8") for path in paths if path.exists())


OURS = Peer("saddleback", ("Saddleback",), ("saddleback",))
CVXPY = Peer("cvxpy", ("CVXPY with Clarabel",), ("cvxpy", "clarabel"))
SCIPY = Peer("scipy", ("SciPy SLSQP", "SciPy trust-constr", "SciPy L-BFGS-B, smoothed"), ("scipy",), 3)
TORCH = Peer("torch", ("PyTorch, group DRO",), ("torch",), 6)
TORCHJD = Peer("torchjd", ("TorchJD, MGDA", "TorchJD, UPGrad"), ("torch", "torchjd"), 6)
FAIRLEARN = Peer("fairlearn", ("fairlearn",), ("fairlearn", "sklearn"), 6)
DRO = Peer("dro", ("dro",), ("dro", "cvxpy", "clarabel"))
PEERS = (OURS, CVXPY, SCIPY, TORCH, TORCHJD, FAIRLEARN, DRO)


def versions() -> str:
    """The pinned versions of the peers."""
    shown = {name for peer in PEERS for name in peer.imports}
    pins = {line for peer in PEERS for line in peer.requirements.splitlines() if line.split("==")[0] in shown}
    return ", ".join(pin.replace("==", " ") for pin in sorted(pins))
