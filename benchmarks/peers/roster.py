"""The peers: which rows of a table each of them fills, and what it must be able to import."""

from __future__ import annotations

from dataclasses import dataclass

from .environments import ALONE, HERE


@dataclass(frozen=True)
class Peer:
    """A folder with a job, and with ``requirements.txt`` unless it runs in our own environment."""

    folder: str
    rows: tuple[str, ...]
    """The names of its runs."""
    imports: tuple[str, ...]
    runs: int = 1
    """How many runs a job makes at most, each with the whole budget."""

    @property
    def module(self) -> str:
        return f"{__package__}.{self.folder}.job"

    @property
    def requirements(self) -> str:
        """What its environment pins, the job's own library included."""
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
    """What the peers pin of themselves."""
    shown = {name for peer in PEERS for name in peer.imports}
    pins = {line for peer in PEERS for line in peer.requirements.splitlines() if line.split("==")[0] in shown}
    return ", ".join(pin.replace("==", " ") for pin in sorted(pins))
