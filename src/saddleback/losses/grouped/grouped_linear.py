"""Losses of linear models, one per group."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from scipy.linalg.blas import ddot

from ..._types import Matrix, Vector
from ..._validation import finite_vector, flag, indices, number
from ...capabilities import phrase
from ...errors import IncompatibleError, ProblemError
from ...linalg.blas_threads import one_blas_thread
from ..base import (
    HasHessian,
    HasHessianSample,
    HasLinearization,
    HasLossHessians,
    HasSampledHessian,
    HasSampledLossHessians,
    HasSmoothness,
)
from .files.named_columns import is_in_files, with_columns_read
from .group_reader import GroupReader
from .held_out import HeldOut
from .in_memory import open_in_memory
from .input.features import check_same_columns, read_features
from .input.groups import read_known_groups
from .input.labels import refuse_masked
from .input.offsets import read_offset, refuse_missing_offset
from .input.responses import read_responses
from .input.rows import is_rows, refuse_for_rows, refuse_other_than_rows
from .maps import checked_maps, combined_hessians, evaluate_mapped, evaluate_on
from .opened import GivenRows
from .own_loss import find_loss
from .partitions.opening import is_in_partitions, open_partitions
from .partitions.partition_passes import PartitionPasses
from .partitions.streaming import streamed
from .pointwise_loss import PointwiseFunctions
from .resamples import Resamples
from .row_jacobian import RowJacobian
from .row_losses import RowLosses
from .row_reader import each_row
from .summaries import Summaries
from .tables.threads import check_threads

LARGEST_HESSIANS = 1 << 25
"""Entries of the Hessians of all losses up to which they are offered: 256 MB."""


class GroupedLinear:
    """Linear models: f_j(w) = sum_i m_ij ell(o_i + x_i'w, y_i) / sum_i m_ij + l2/2 |w|^2, with m_ij >= 0.

    m_ij is the sample weight of row i if it is in group j, else 0, so that f_j is the weighted mean loss of group j. An
    intercept is the last coordinate of w and is not penalized. The offset o_i is 0 unless it is given.

    Parameters
    ----------
    X : (n, d) matrix
        float32 or float64 (integers and booleans are converted to float64), dense in any order, a SciPy sparse matrix
        or array, a data frame of numbers and booleans, or a ``numpy.memmap``, which is read in pieces and may be larger
        than memory. A wide matrix in C order is not copied: leave it unchanged. Or a table in files of any size: a
        `FileTable`, or the path of a `.npy` or Parquet file, of a folder or of a pattern of such files, where y,
        groups, weights and offset may be names of columns, which are then no features.
    y : (n,) array
        Two labels of any type ("logistic", "squared_hinge"; the second in sorted order is the positive one), labels of
        any type ("softmax"), counts >= 0 ("poisson"), or numbers; of magnitude 1e100 at most.
    groups : (n,) labels, data frame, (n, J) membership matrix, or "rows"
        Labels of any hashable type. Several columns of labels in a data frame, ``df[["race", "sex"]]``, are crossed:
        every combination that occurs is a group, and its name is a tuple. Memberships for groups that overlap:
        booleans, zeros and ones, or weights >= 0 as floats, in a matrix, dense or sparse, or a data frame. The text
        "rows" makes every row its own loss, J = n, for adversaries on rows such as ``CappedSimplex`` and ``Chi2Ball``;
        sample weights are then refused (the prior of the dual set has their place), and so is "softmax".
    loss : str or object
        "logistic", "squared", "huber", "squared_hinge", "poisson", "quantile", "softmax"; an object with options, such
        as ``sb.losses.Huber(delta=0.5)``; or your own, any object with ``value_and_slope(eta, y)`` and
        ``curvature(eta, y)`` (see `saddleback.losses.PointwiseLoss`).
    l2 : float
        The penalty, part of every f_j.
    fit_intercept : bool
        Whether the margin is x'w + b, as it is by default, or x'w.
    sample_weight : (n,) array, optional
        Weights >= 0.
    n_threads : int, optional
        At most 1024; by default as many as this process may use (affinity, container quotas, OMP_NUM_THREADS,
        NUMBA_NUM_THREADS and joblib's workers are respected), fewer for small tables. The same number gives the same
        bits.
    offset : (n,) array, optional
        A number per row that is added to its margin, as in generalized linear models: log exposures, or the margins of
        another model, which w = 0 then reproduces. For "softmax" of shape (n, K), in the order of ``classes``. Of
        magnitude 1e100 at most.

    Attributes
    ----------
    group_names, group_sizes, group_weights
        Label, number of rows with a positive weight, and total weight of each group.
    classes : list or None
        The labels of y in the order of their numbers.
    feature_names : list or None
        The columns of X, where it is a data frame.
    n_samples, n_features, n_entries : int
        Rows, columns and stored entries of X.

    Notes
    -----
    ``values`` and ``evaluate`` contain the penalty. ``on`` gives the losses of other rows (or of the same) without it.
    ``with_l2`` gives the same losses with another penalty, at no cost.

    Columns of a data frame of groups are crossed where one of them is text, categories or whole numbers other than 0
    and 1; columns of booleans, of 0 and 1 or of floats are memberships. What could be either is refused: 0 and 1 with
    a row that is in no group, and whole numbers as floats. A matrix is never crossed: integers other than 0 and 1 in
    it are refused.

    Softmax with K classes: the parameters are the K weight vectors one after the other, then (with an intercept) the K
    intercepts, so w[:K * d].reshape(K, d) has one row per class and w[K * d:] are the intercepts.

    An evaluation reads X once, for all losses and gradients, in float64 arithmetic: 4 n d operations (times K), and the
    memory of J + (threads - 1) gradients; with your own loss, X is read twice unless it is compiled. Narrow tables (up
    to 1 GB) and sparse ones are copied, once, in the order of the groups, and a sample of at most an eighth of the rows
    is kept for ``sampled_hessian``. The kernel is compiled on first use, and cached on disk.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> losses = GroupedLinear(X, ["no", "yes", "yes"], ["a", "b", "b"], l2=0.1)
    >>> losses.group_names, losses.classes
    (['a', 'b'], ['no', 'yes'])
    >>> losses.values(np.zeros(3)).round(4).tolist()
    [0.6931, 0.6931]
    >>> losses.on([[2.0, 1.0]], ["yes"], ["b"]).values(np.zeros(3)).round(4).tolist()
    [nan, 0.6931]

    Counts per hour, from observations of different lengths: exp(o + x'w) with o = log(hours).

    >>> X, counts, groups, hours = np.zeros((3, 1)), [2.0, 4.0, 8.0], ["a", "b", "b"], np.array([1.0, 2.0, 4.0])
    >>> losses = GroupedLinear(X, counts, groups, loss="poisson", offset=np.log(hours))
    >>> np.exp(losses.on(X, counts, groups, offset=np.log(hours)).margins([0.0, np.log(2.0)])).round(4).tolist()
    [2.0, 4.0, 8.0]
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        groups: Any,
        loss: str | PointwiseFunctions = "logistic",
        l2: float = 0.0,
        fit_intercept: bool = True,
        sample_weight: Any = None,
        n_threads: int | None = None,
        offset: Any = None,
    ) -> None:
        self.loss = find_loss(loss)
        self.l2 = number(l2, "l2", minimum=0.0)
        check_threads(n_threads)
        self.fit_intercept = flag(fit_intercept, "fit_intercept")
        self._by_row = is_rows(groups)
        if self._by_row:
            refuse_for_rows(self.loss, sample_weight)
        given = GivenRows(X, y, groups, sample_weight, offset)
        if is_in_files(X):
            given = streamed(with_columns_read(given), n_threads)
        if is_in_partitions(given):
            opened = open_partitions(given, self.loss, self.fit_intercept, n_threads)
        else:
            opened = open_in_memory(given, self.loss, self.fit_intercept, n_threads)
        self._layout, self._passes = opened.layout, opened.passes
        self._naming, self._has_offset = opened.naming, offset is not None
        self.n_samples, self.n_features, self.n_entries = opened.n_samples, self._layout.n_features, opened.n_entries
        self.n_params = self._layout.n_params
        self.feature_names, self.classes = opened.feature_names, opened.classes
        self.group_names, self.group_sizes = opened.group_names, opened.group_sizes
        self.group_weights = opened.group_weights
        self.n_losses = len(opened.group_names)
        # Rows elsewhere have the same bits with any number of threads.
        of_sample = 1 if isinstance(self._passes, PartitionPasses) else n_threads
        self._summaries = Summaries(self._passes, self.loss, self._layout, self.n_losses, of_sample)

    def __repr__(self) -> str:
        groups = "every row a loss" if self._by_row else f"{self.n_losses} groups"
        shape = f"{self.n_samples} x {self.n_features}, {groups}"
        return f"GroupedLinear({shape}, loss={self.loss}, l2={self.l2:g})"

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        """f(w) and the Jacobian G(w), of shape (J, n_params), in one read of X."""
        w = self._layout.checked(w)
        f, G = self._passes.evaluate(w, self.l2)
        return f + self._penalty(w), G

    def values(self, w: Vector) -> Vector:
        """f(w) alone: half the arithmetic of ``evaluate``."""
        w = self._layout.checked(w)
        return self._passes.values(w) + self._penalty(w)

    def evaluate_many(
        self, W: Any, maps: Sequence[Any] | None = None, resamples: Resamples | None = None
    ) -> tuple[Matrix, Matrix]:
        """``evaluate`` at the k rows of W, in one read of X: the values (k, J) and the Jacobians (k, J, n_params).

        For paths, folds and bootstraps. The answers agree with those of ``evaluate`` up to rounding, and one of them
        does not depend on the other rows of W, to the last bit.

        With ``maps``, k matrices of shape (J', J), the answers are maps[i] f(w_i) and maps[i] G(w_i). On a cluster no
        more than these leaves a worker. With ``resamples``, one for each row of W, row i is evaluated on resample i.

        Examples
        --------
        >>> losses = GroupedLinear([[1.0], [2.0]], [1.0, 3.0], ["a", "b"], loss="squared", fit_intercept=False)
        >>> f, G = losses.evaluate_many([[0.0], [1.0], [2.0]])
        >>> f.tolist(), G[:, :, 0].tolist()
        ([[1.0, 9.0], [0.0, 1.0], [1.0, 1.0]], [[-2.0, -12.0], [0.0, -4.0], [2.0, 4.0]])
        >>> losses.evaluate_many([[0.0], [1.0]], maps=[[[0.5, 0.5]], [[0.0, 1.0]]])[0].tolist()
        [[5.0], [1.0]]
        """
        W = self._layout.checked_rows(W)
        maps = None if maps is None else checked_maps(maps, len(W), self.n_losses)
        if resamples is not None:
            resamples.check(len(W))
        if maps is None:
            f, G = evaluate_on(self._passes, W, resamples)
        else:
            f, G = evaluate_mapped(self._passes, W, maps, resamples)
        if self.l2 != 0.0:
            penalties = np.array([self._penalty(w) for w in W])
            totals = np.ones((1, 1)) if maps is None else np.array([of_one.sum(axis=1) for of_one in maps])
            f += totals * penalties[:, None]
            weights = slice(self._layout.n_weights)
            G[:, :, weights] += self.l2 * totals[:, :, None] * W[:, None, weights]
        return f, G

    def resamples(self, times: Any) -> Resamples:
        """Resamples of the rows of a table in memory, such as bootstraps, in which row i counts times[r, i] times.

        ``evaluate_many`` takes them, and ``on_resample`` gives the losses of one. Nothing of the table is copied: a
        resample takes a byte per row. The mean loss of a group of which no row counts is 0.

        Parameters
        ----------
        times : (R, n) array of whole numbers from 0 to 255

        Examples
        --------
        >>> losses = GroupedLinear([[1.0], [2.0], [3.0]], [1.0, 3.0, 5.0], ["a", "b", "b"], loss="squared")
        >>> resamples = losses.resamples([[1, 2, 0], [1, 1, 1], [1, 0, 2]])
        >>> f, G = losses.evaluate_many(np.zeros((2, 2)), resamples=resamples[[2, 0]])
        >>> f.tolist()
        [[1.0, 25.0], [1.0, 9.0]]
        >>> losses.on_resample(resamples, 2).values(np.zeros(2)).tolist()
        [1.0, 25.0]
        """
        return Resamples.of(times, self.n_samples, self._rows_in_memory().reader.plan)

    def on_resample(self, resamples: Resamples, place: int) -> GroupedLinear:
        """The losses on one of the resamples of these rows, in microseconds per thousand rows: the table is shared."""
        other, passes = copy(self), self._rows_in_memory().counting(resamples.of_positions(place))
        other._passes, members = passes, passes.reader.memberships
        other.group_sizes, other.group_weights = members.sizes, members.weights
        other._summaries = Summaries(passes, self.loss, self._layout, self.n_losses, self._summaries.n_threads)
        return other

    def _rows_in_memory(self) -> GroupReader:
        if isinstance(self._passes, GroupReader):
            return self._passes
        raise IncompatibleError(
            "resamples are of groups of rows in memory; got rows in files or on a cluster, or every row as a loss."
        )

    def linearize(self, w: Vector) -> tuple[Vector, RowJacobian]:
        """f(w) and the Jacobian as slopes per row and a shared table, for ``groups="rows"``: one read of X."""
        self._refuse_lack(HasLinearization)
        assert isinstance(self._passes, RowLosses)
        w = self._layout.checked(w)
        f, jacobian = self._passes.linearize(w, self.l2)
        return f + self._penalty(w), jacobian

    def with_l2(self, l2: float) -> GroupedLinear:
        """The same losses with another penalty, in microseconds: nothing of the table is copied or read again.

        Both share the table and all that is computed from it: the sample of ``sampled_hessian``, the parameter scales
        and the smoothness constant without the penalty.

        Examples
        --------
        >>> losses = GroupedLinear([[1.0], [2.0]], [1.0, 3.0], ["a", "b"], loss="squared", fit_intercept=False)
        >>> [losses.with_l2(l2).values([1.0]).tolist() for l2 in (0.0, 1.0, 2.0)]
        [[0.0, 1.0], [0.5, 1.5], [1.0, 2.0]]
        """
        other = copy(self)
        other.l2 = number(l2, "l2", minimum=0.0)
        return other

    def on(self, X: Any, y: Any, groups: Any, sample_weight: Any = None, offset: Any = None) -> HeldOut:
        """The losses of the same models on other rows, such as held-out ones, without the penalty.

        Groups and classes keep their names and their order: ``on(...).values(w)`` is NaN for a group without rows.
        Groups, classes and columns that these losses do not have are refused.

        Parameters
        ----------
        X : (n, d) matrix
            With the same columns.
        y, groups, sample_weight
            In the form that these losses were made with: labels, a data frame of labels, or a membership matrix.
        offset
            Required where these losses were made with one.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> losses = GroupedLinear(X, [1.0, 2.0, 3.0], ["a", "b", "c"], loss="squared", l2=0.1)
        >>> held_out = losses.on([[2.0, 1.0], [0.0, 0.0]], [3.0, 1.0], ["c", "a"])
        >>> held_out.group_names, held_out.values([1.0, 1.0, 0.0]).tolist()
        (['a', 'b', 'c'], [1.0, nan, 0.0])
        >>> held_out.rows([1.0, 1.0, 0.0]).tolist()
        [0.0, 1.0]
        """
        if is_in_files(X):
            vars_of = vars(with_columns_read(GivenRows(X, y, groups, sample_weight, offset)))
            X, y, groups, sample_weight, offset = vars_of.values()
        for argument, name in ((y, "y"), (groups, "groups"), (sample_weight, "sample_weight")):
            refuse_masked(argument, name)
        matrix, feature_names = read_features(X)
        check_same_columns(matrix, feature_names, self.n_features, self.feature_names)
        n = matrix.shape[0]
        responses = read_responses(y, self.loss.response, n, self.classes)
        if self._by_row:
            refuse_other_than_rows(groups, sample_weight)
            memberships = each_row(n)
        else:
            memberships = read_known_groups(groups, sample_weight, n, self._naming)
        if self._has_offset:
            refuse_missing_offset(offset)
        offset = read_offset(offset, n, self._outputs)
        return HeldOut(matrix, responses.y, memberships, self.loss, self._layout, offset)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        """sum_j lam_j Hessian f_j(w), of shape (n_params, n_params): n d^2 multiplications (times K^2)."""
        self._refuse_lack(HasHessian)
        lam = finite_vector(lam, "lam", self.n_losses)
        return self._penalized(self._passes.hessian(self._layout.checked(w), lam), self.l2 * lam.sum())

    def loss_hessians(self, w: Vector, which: Any) -> Matrix:
        """The Hessians of the losses with these numbers, (len(which), n_params, n_params).

        n d^2 multiplications (times K^2), where n counts the rows of these groups: no other row is read.
        """
        self._refuse_lack(HasLossHessians)
        assert not isinstance(self._passes, RowLosses)
        which = indices(which, "which", self.n_losses)
        return self._penalized(self._passes.loss_hessians(self._layout.checked(w), which), self.l2)

    def combined_hessians(self, w: Any, M: Any) -> Matrix:
        """sum_j M_ij Hessian f_j(w) for every row of the matrix M, (len(M), n_params, n_params), in one read of X.

        Where w is a matrix with a row for every row of M, sum_j M_ij Hessian f_j(w_i). Of rows in files or on a cluster
        one of the answers does not depend on the others, to the last bit.
        """
        self._refuse_lack(HasHessian)
        assert not isinstance(self._passes, RowLosses)
        (M,) = checked_maps([M], 1, self.n_losses)
        one = np.ndim(w) != 2
        W = self._layout.checked(w)[None].repeat(len(M), axis=0) if one else self._layout.checked_rows(w)
        if len(W) != len(M):
            raise ProblemError(f"w must be one vector, or one for each of the {len(M)} rows of M; got {len(W)}.")
        H = combined_hessians(self._passes, W, M)
        for of_one, total in zip(H, M.sum(axis=1), strict=True):
            self._penalized(of_one, self.l2 * float(total))
        return H

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix:
        """V (sum_j lam_j Hessian f_j(w)) V' estimated from a sample of the rows; not offered for small tables.

        With V = None it is NaN where the table has too few rows for that, or few rows of the sample contribute along
        some direction, as of a rare category.
        """
        self._refuse_lack(HasSampledHessian)
        if V is None:
            passes = self._summaries.sample_passes
            if passes is None:
                return np.full((self.n_params, self.n_params), np.nan)
            return self._penalized(passes.hessian(self._layout.checked(w), lam), self.l2 * lam.sum())
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            penalized = V[:, : self._layout.n_weights]
            H = self.hessian_on_margins(w, lam, self.sampled_margins(V))
            return H + self.l2 * lam.sum() * (penalized @ penalized.T)

    def sampled_loss_hessians(self, w: Vector, which: Any) -> Matrix:
        """``loss_hessians`` estimated from a sample of the rows; NaN as in ``sampled_hessian``."""
        self._refuse_lack(HasSampledLossHessians)
        which, passes = indices(which, "which", self.n_losses), self._summaries.sample_passes
        if passes is None:
            return np.full((which.size, self.n_params, self.n_params), np.nan)
        return self._penalized(passes.loss_hessians(self._layout.checked(w), which), self.l2)

    def sampled_combined_hessians(self, w: Vector, M: Matrix) -> Matrix:
        """``combined_hessians`` estimated from a sample of the rows; NaN as in ``sampled_hessian``."""
        self._refuse_lack(HasSampledLossHessians)
        passes = self._summaries.sample_passes
        if passes is None:
            return np.full((len(M), self.n_params, self.n_params), np.nan)
        w = self._layout.checked(w)
        H = passes.combined_hessians(np.broadcast_to(w, (len(M), w.size)), M)
        for of_one, total in zip(H, M.sum(axis=1), strict=True):
            self._penalized(of_one, self.l2 * float(total))
        return H

    def sampled_margins(self, V: Matrix) -> Matrix:
        """The margins of the rows of ``sampled_hessian``'s sample, one row for each row of V."""
        self._refuse_lack(HasHessianSample)
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            return self._summaries.sample.margins(V, self._layout)

    def hessian_on_margins(self, w: Vector, lam: Vector, T: Matrix) -> Matrix:
        """V (sum_j lam_j Hessian f_j(w)) V' for T = sampled_margins(V), without penalties."""
        self._refuse_lack(HasHessianSample)
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            return self._summaries.sample.on(self.loss, *self._layout.split(w), lam, T)

    def penalty_diagonal(self) -> Vector:
        """The diagonal of the penalty's Hessian: l2, and 0 for intercepts."""
        layout = self._layout
        return np.repeat([self.l2, 0.0], [layout.n_weights, layout.n_params - layout.n_weights])

    def lacks(self, capability: type) -> str | None:
        """Why a capability is not offered; None where it is. Nothing is computed to find out."""
        if capability is HasLinearization and not self._by_row:
            return "its losses are means of groups, few enough for a matrix"
        sampled = capability in (HasSampledHessian, HasHessianSample, HasSampledLossHessians)
        if (sampled or capability is HasLossHessians) and self._by_row:
            return "every row is its own loss"
        if (sampled or capability in (HasHessian, HasLossHessians)) and not self.loss.has_curvature:
            return f"the loss {self.loss} has no curvature(eta, y)"
        if sampled:
            sizes = self._summaries.sample_sizes
            if (sizes.hessians if capability is HasSampledLossHessians else sizes.directions) is None:
                return "the table has too few rows for a sample"
        if (
            capability in (HasLossHessians, HasSampledLossHessians)
            and self.n_losses * self.n_params**2 > LARGEST_HESSIANS
        ):
            return f"the Hessians of {self.n_losses} losses of {self.n_params} parameters take too much memory"
        if capability is HasSmoothness and self.loss.curvature_bound is None:
            return f"the loss {self.loss} has no smoothness constant"
        return None

    def _refuse_lack(self, capability: type) -> None:
        reason = self.lacks(capability)
        if reason is not None:
            raise IncompatibleError(f"{self!r} does not offer {phrase(capability).removeprefix('with ')}: {reason}.")

    @property
    def convex(self) -> bool:
        """Whether every f_j is convex by construction: true of our losses, and of your own that declares ``convex``."""
        return self.loss.convex and self.l2 >= 0.0

    @property
    def curved(self) -> bool:
        """Whether the loss of every row has a positive second derivative, for any margin."""
        return self.loss.curved

    @property
    def bounded_below(self) -> bool:
        """Whether every f_j is bounded below: true of our losses, and of your own that declares ``bounded_below``."""
        return self.loss.bounded_below and self.l2 >= 0.0

    @property
    def strong_convexity(self) -> float | Vector:
        """l2 where the losses are convex; with intercepts one number per coordinate, 0 for those without penalty."""
        l2 = self.l2 if self.convex else 0.0
        if not self.fit_intercept:
            return l2
        return np.repeat([l2, 0.0], [self._layout.n_weights, self._layout.n_outputs])

    def parameter_scales(self) -> Vector:
        """The change of each parameter that changes the margins by their typical magnitude; (n_params,), positive.

        m over the root mean square of the column, and m for an intercept, where m = 1, or the standard deviation of
        y - offset where y holds numbers. Large tables are sampled, so that this is cheap compared with an evaluation.
        """
        return self._summaries.parameter_scales

    def smoothness(self, slack: float | None = None) -> float:
        """L such that every f_j is L-smooth, at most 10 % too large; not offered where ell'' is unbounded (Poisson).

        sup ell'' max_j lambda_max(sum_i m_ij x_i x_i' / sum_i m_ij) + l2, by Lanczos iterations from a random start
        with a fixed seed: above the truth except with probability 1e-10. Costs some tens of evaluations, once.
        ``smoothness(slack=1.001)`` is at most 0.1 % too large, and costs more evaluations at each call.
        """
        self._refuse_lack(HasSmoothness)
        if isinstance(self._passes, RowLosses):
            assert self.loss.curvature_bound is not None
            return self.loss.curvature_bound * self._passes.rows.longest**2 + self.l2
        shared = self._summaries
        return (shared.smoothness if slack is None else shared.smoothness_bound(slack)) + self.l2

    @property
    def n_outputs(self) -> int:
        """Margins per row: the number of classes for "softmax", else 1."""
        return self._layout.n_outputs

    @property
    def _outputs(self) -> list[Any] | None:
        """The classes that have a margin each; None where a row has one margin."""
        return self.classes if self.loss.response == "classes" else None

    def _penalty(self, w: Vector) -> float:
        if self.l2 == 0.0:
            return 0.0
        weights = w[: self._layout.n_weights]
        return 0.5 * self.l2 * float(ddot(weights, weights))

    def _penalized(self, H: Matrix, l2: float) -> Matrix:
        """H, in place, with l2 added to the diagonal entries of the weights."""
        if l2 != 0.0:
            d = H.shape[-1]
            # A view of the diagonals of the matrices, each in one row.
            H.reshape(-1, d * d)[:, : self._layout.n_weights * (d + 1) : d + 1] += l2
        return H
