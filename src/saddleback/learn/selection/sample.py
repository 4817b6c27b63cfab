"""Weighted means of rows and their standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from ..._types import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with weights that sum to 1; rows of one cluster depend on each other, clusters do not.

    The mean of d is m = sum_i u_i d_i. Its standard error is that of a weighted mean, robust to the meaning of the
    weights (Huber 1967, White 1980; clusters: Liang and Zeger 1986): with e_k = sum over cluster k of u_i (d_i - m),

        SE^2 = K / (K - 1) sum_k e_k^2.

    It does not depend on the unit of the weights, and a row of weight 2 counts as two rows of one cluster.
    """

    rows: NDArray[np.intp]
    weights: Vector
    clusters: NDArray[np.intp]
    """The cluster 0, ..., K - 1 of each row; every one has a row."""

    @classmethod
    def of(cls, rows: NDArray[np.intp], weights: Vector, clusters: NDArray[np.intp] | None) -> Sample:
        """From positive weights of any sum, and cluster numbers of all rows of the table."""
        if clusters is None:
            numbers = np.arange(len(rows))
        else:
            numbers = np.unique(clusters[rows], return_inverse=True)[1].reshape(-1)
        return cls(rows, weights / weights.sum(), numbers)

    def mean(self, losses: Matrix) -> Vector:
        """(C,): the mean of each column."""
        return self.weights @ losses[self.rows]

    def errors(self, differences: Matrix) -> Matrix:
        """(K, C): the errors of clusters, whose sums of squares are SE^2; ``differences`` has the sample's rows."""
        deviations = differences - self.weights @ differences
        deviations *= self.weights[:, None]
        n_clusters = int(self.clusters.max()) + 1
        if n_clusters < 2:
            return np.full((1, differences.shape[1]), np.inf)
        if n_clusters < len(self.rows):
            summed = np.zeros((n_clusters, deviations.shape[1]))
            np.add.at(summed, self.clusters, deviations)
            deviations = summed
        deviations *= np.sqrt(n_clusters / (n_clusters - 1.0))
        return deviations

    def standard_errors(self, differences: Matrix) -> Vector:
        """(C,): SE of each column's mean; inf for a single cluster."""
        return lengths(self.errors(differences))

    @property
    def effective_size(self) -> float:
        """Kish's number of clusters, (sum u)^2 / sum u^2: how many of equal weight would be as good."""
        size = 1.0 / np.square(np.bincount(self.clusters, self.weights)).sum()
        # Rounded, so that n equal weights give n.
        return float(np.round(size, 6))


def lengths(errors: Matrix) -> Vector:
    """(C,): the root of the sum of squares of each column."""
    lengths: Vector = np.sqrt(np.einsum("kc,kc->c", errors, errors))
    return lengths


def simultaneous_quantile(errors: Matrix, level: float, degrees_of_freedom: float, n_draws: int = 4_000) -> float:
    """q: where no mean differs from zero, the largest of the C ratios mean / SE exceeds q with probability ``level``.

    The Gaussian multiplier bootstrap of the maximum (Chernozhukov, Chetverikov and Kato 2013): given the rows, the
    multiplied ratios are exactly normal with the correlations of the columns, and are drawn from that distribution.
    Correlated candidates cost little: q is between the quantile of one candidate and Bonferroni's. Student's
    distribution replaces the normal one at the same probability, for small groups. Columns have spread.
    """
    if errors.shape[1] == 0 or degrees_of_freedom <= 0.0:
        return np.inf
    scaled = errors / lengths(errors)
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    # The symmetric root is unique, unlike a factor of eigenvectors or Cholesky's: rounding moves it little.
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    draws = _normal_draws(n_draws, len(root)) @ root
    normal = float(np.quantile(draws.max(axis=1), 1.0 - level))
    return float(stdtrit(degrees_of_freedom, ndtr(normal)))


def skewness_allowance(errors: Matrix, q: float) -> Vector:
    """(C,): what q must rise by where many rows gain a little and few lose much, so that few tables show the losses.

    The first term of the Cornish-Fisher expansion of Student's ratio (Hall 1992, section 2.6), -g (2 q^2 + 1) / 6 with
    g the skewness of the mean: sum e_k^3 / SE^3. Skewness to the other side makes a gain the more certain, and is
    not used: it is known too badly. Columns have spread.
    """
    scaled = errors / lengths(errors)
    skewness = np.einsum("kc,kc,kc->c", scaled, scaled, scaled)
    allowance: Vector = np.maximum(-skewness, 0.0) * (2.0 * q * q + 1.0) / 6.0
    return allowance


@lru_cache(maxsize=4)
def _normal_draws(n_draws: int, n_columns: int) -> Matrix:
    """Always the same draws; kept, because a bootstrap asks for them a hundred times."""
    draws: Matrix = np.random.default_rng(0).standard_normal((n_draws, n_columns))
    draws.flags.writeable = False
    return draws
