"""
Largest eigenvalues
===================

Bounds on cuts and independent sets of graphs, and a design of experiments.

Run it with ``python examples/largest_eigenvalue.py``. The losses are a symmetric matrix F(w), the adversary chooses a
density matrix Lam, and g(w) = max <Lam, F(w)> is the largest eigenvalue of F(w).
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import saddleback as sb

TOL = 1e-7
CYCLE = [(i, (i + 1) % 5) for i in range(5)]
PETERSEN = CYCLE + [(i, i + 5) for i in range(5)] + [(i + 5, (i + 2) % 5 + 5) for i in range(5)]


def unit(n: int, i: int, j: int) -> np.ndarray:
    """The symmetric matrix with ones at (i, j) and (j, i)."""
    E = np.zeros((n, n))
    E[i, j] = E[j, i] = 1.0
    return E


def max_cut_bound(n: int, edges: list[tuple[int, int]]) -> sb.Result:
    """No cut has more than n/4 min { largest eigenvalue of L + diag u : sum u = 0 } edges (Delorme, Poljak 1993)."""
    laplacian = sum((unit(n, i, i) + unit(n, j, j) - unit(n, i, j) for i, j in edges), np.zeros((n, n)))
    diagonals = [unit(n, i, i) - unit(n, n - 1, n - 1) for i in range(n - 1)]
    return sb.solve(sb.Problem(sb.AffineMatrix(n / 4 * laplacian, diagonals), sb.Spectrahedron()), tol=TOL)


def lovasz_theta(n: int, edges: list[tuple[int, int]]) -> sb.Result:
    """No independent set has more than theta = min of the largest eigenvalue of 1 1' + sum over edges of w_e E_e."""
    losses = sb.AffineMatrix(np.ones((n, n)), [unit(n, i, j) for i, j in edges])
    return sb.solve(sb.Problem(losses, sb.Spectrahedron()), tol=TOL)


def e_optimal_design(X: np.ndarray) -> sb.Result:
    """Shares p = (w, 1 - sum w) of the rows of X for which the least eigenvalue of sum_i p_i x_i x_i' is largest.

    A second adversary, a Box, penalizes negative shares; the penalty is exact, as it exceeds any possible gain.
    """
    moments = np.einsum("ij,ik->ijk", X, X)
    information = sb.AffineMatrix(-moments[-1], moments[-1] - moments[:-1])
    slopes = np.vstack((-np.eye(len(X) - 1), np.ones(len(X) - 1)))

    def losses(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f, G = information.evaluate(w)
        return np.append(f, -np.append(w, 1 - w.sum())), np.vstack((G, slopes))

    fine = float((X**2).sum(axis=1).max())
    adversaries = sb.Product([sb.Spectrahedron(), sb.Box(0, np.full(len(X), fine))])
    return sb.minimax(losses, np.full(len(X) - 1, 1 / len(X)), jac=True, dual_set=adversaries, tol=TOL)


def main() -> int:
    design = e_optimal_design(np.vander(np.linspace(-1, 1, 21), 3))
    rows = [
        ("max-cut bound, 5-cycle", max_cut_bound(5, CYCLE), (25 + 5 * 5**0.5) / 8),
        ("max-cut bound, Petersen graph", max_cut_bound(10, PETERSEN), 12.5),
        ("Lovasz theta, 5-cycle", lovasz_theta(5, CYCLE), 5**0.5),
        ("Lovasz theta, Petersen graph", lovasz_theta(10, PETERSEN), 4.0),
        ("E-optimal design, parabola", design, -0.2),
    ]
    print("| problem | value | known | certified gap | within |\n| --- | ---: | ---: | ---: | ---: |")
    for name, result, known in rows:
        print(f"| {name} | {result.value:.6f} | {known:.6f} | {result.gap:.0e} | {result.radius:.1f} |")
    return 0 if all(result.success for _, result, _ in rows) else 1


if __name__ == "__main__":
    argparse.ArgumentParser(description="Largest eigenvalues.").parse_args()
    if status := main():
        sys.exit(status)

# sphinx_gallery_thumbnail_path = "images/set_spectrahedron.png"
