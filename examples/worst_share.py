"""
The worst share of the losses
=============================

Sets of weights between the average and the worst group: conditional value at risk, chi2 and KL balls.

Run it with ``python examples/worst_share.py``. The mortgage applications of ``mortgage.py`` are grouped by race and
credit history; the prior is the share of each group. Sets of weights around the prior lead from the average (alpha = 1,
rho = 0) to the worst group (small alpha, large rho).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import mortgage
import numpy as np

import saddleback as sb

TOL = 1e-6


def group_names(data: mortgage.Applications) -> np.ndarray:
    """Race, and whether an account was ever 60 days late."""
    history = data.X[:, list(mortgage.FEATURES).index("chist")]
    return np.char.add(data.race, np.where(history > 0, ", clean", ", late"))


def sets(prior: np.ndarray) -> Iterator[tuple[str, sb.DualSet]]:
    """Three families of sets from the average to the worst group."""
    for alpha in (1.0, 0.5, 0.2, 0.1, 0.05):
        yield f"worst share, alpha = {alpha:g}", sb.CappedSimplex(alpha, prior)
    for rho in (0.1, 1.0, 5.0):
        yield f"chi2 ball, rho = {rho:g}", sb.Chi2Ball(rho, prior)
    for rho in (0.1, 0.5, 1.5):
        yield f"KL ball, rho = {rho:g}", sb.KLBall(rho, prior)
    yield "simplex", sb.Simplex()


def fit_all(data: mortgage.Applications) -> tuple[sb.GroupedLinear, np.ndarray, dict[str, sb.Result]]:
    """The losses, the prior and a certified model for each set, each run started from the last model."""
    groups = group_names(data)
    losses = mortgage.group_logistic(data, groups)
    prior = np.array([(groups == name).mean() for name in losses.group_names])
    results: dict[str, sb.Result] = {}
    w = np.zeros(losses.n_params)
    for name, dual_set in sets(prior):
        results[name] = sb.solve(sb.Problem(losses, dual_set), w, tol=TOL)
        w = results[name].w
    return losses, prior, results


def main() -> int:
    losses, prior, results = fit_all(mortgage.load())
    names = [f"{name} ({share:.1%})" for name, share in zip(losses.group_names, prior, strict=True)]
    print(f"| adversary | average | {' | '.join(names)} | certified gap |\n| --- |{' ---: |' * (len(names) + 2)}")
    for name, result in results.items():
        by_group = " | ".join(f"{loss:.3f}" for loss in result.losses)
        print(f"| {name} | {prior @ result.losses:.4f} | {by_group} | {result.gap:.0e} |")
    return 0 if all(result.success for result in results.values()) else 1


if __name__ == "__main__":
    argparse.ArgumentParser(description="The worst share of the losses.").parse_args()
    if status := main():
        sys.exit(status)

# sphinx_gallery_thumbnail_path = "images/set_capped_simplex.png"
