"""`make reproduce`: table (b) of the paper by its own recipe, at reduced size."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import saddleback as sb
from saddleback.methods import APGD, Accelerated, AnyMethod, Extragradient

from .race import optimum
from .setting import environment
from .synthetic import paper_data
from .writing import REPORTS, count, markdown, write_json, write_text

D, J, N, SEED = 500, 10, 500, 0
EPSILON = 1e-2
MAX_ITER = 1000
GAMMAS = (0.0, 0.001, 0.01, 0.1, 1.0)
# Table (b) of the paper, d = 5000, J = 10, N = 5000; None: not applicable or not reached.
PUBLISHED: dict[str, tuple[int | None, ...]] = {
    "Algorithm 1": (34, 35, 34, 34, 34),
    "APGD": (None, 88, 32, 20, 18),
    "extragradient": (210, 219, 372, None, None),
}


def contestants(L: float) -> dict[str, AnyMethod]:
    return {
        "Algorithm 1": Accelerated(steps="paper", restart=False, smoothness=L),
        "APGD": APGD(smoothness=L),
        "extragradient": Extragradient(smoothness=L),
    }


def measure(d: int = D, n_groups: int = J, n_samples: int = N, seed: int = SEED) -> dict[str, list[int | None]]:
    """Iterations to EPSILON for each method and gamma."""
    grouped = paper_data(d, n_groups, n_samples, seed)
    losses, methods = grouped.fused(), contestants(grouped.smoothness())
    counts: dict[str, list[int | None]] = {name: [] for name in methods}
    for gamma in GAMMAS:
        problem = sb.Problem(losses, regularizer=sb.Quadratic(gamma))
        target = optimum(problem, tol=1e-6).value + EPSILON
        for name, method in methods.items():
            applies = gamma > 0 or not isinstance(method, APGD)
            counts[name].append(iterations_to(target, problem, method) if applies else None)
    return counts


def iterations_to(target: float, problem: sb.Problem, method: AnyMethod) -> int | None:
    """The first iteration whose value is at most ``target``, whatever the certificate says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(
            problem, method=method, tol=0.0, max_iter=MAX_ITER, callback=lambda now: bool(now.value <= target)
        )
    reached = np.flatnonzero(result.history.value <= target)
    return int(reached[0]) if reached.size else None


def table(counts: dict[str, list[int | None]]) -> str:
    rows = []
    for name, measured in counts.items():
        rows.append((name, "measured", *(count(k) for k in measured)))
        rows.append((name, "published", *(count(k) for k in PUBLISHED[name])))
    return markdown(["iterations to 1e-2", "", *(f"gamma = {gamma:g}" for gamma in GAMMAS)], rows)


def main(directory: Path = REPORTS, **sizes: int) -> None:
    started = time.perf_counter()
    counts = measure(**sizes)
    elapsed = time.perf_counter() - started
    size: dict[str, Any] = {"d": D, "n_groups": J, "n_samples": N, "seed": SEED} | sizes
    text = "\n".join(
        [
            "# Table (b) of the paper at reduced size\n",
            f"Measured here: d = {size['d']}, J = {size['n_groups']}, N = {size['n_samples']} per group, seed "
            f"{size['seed']}. Published: d = 5000, J = 10, N = 5000. The sizes and the random data differ, so the "
            "counts need not agree; what can be compared is how they depend on gamma. '-' stands for not applicable "
            f"(APGD needs gamma > 0), not within {MAX_ITER} iterations (measured), or not reported (published).\n",
            table(counts),
            f"Took {elapsed:.0f} s.\n",
        ]
    )
    print(text)
    data = {"environment": environment(), "size": size, "epsilon": EPSILON, "gammas": GAMMAS, "measured": counts}
    write_text(directory / "paper_small.md", text)
    write_json(directory / "paper_small.json", data | {"published": PUBLISHED, "seconds": elapsed})
    print(f"Written: {directory / 'paper_small.md'} and {directory / 'paper_small.json'}")


if __name__ == "__main__":
    main()
