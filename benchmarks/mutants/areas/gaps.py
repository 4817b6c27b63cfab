"""The gaps of (D), of the adversary, of pairs, and of inner solvers that only know support functions."""

from __future__ import annotations

from ..mutant import Mutant

GAPS = ("tests/subproblem/test_gaps.py",)
THEOREMS = ("tests/theory/test_gap_theorems.py",)
ADVERSARY = ("tests/test_adversary.py",)

MUTANTS = (
    Mutant(
        "objective of (D) without its half",
        "subproblem/dual_subproblem.py",
        "return float(lam.dot(0.5 * self.product(lam) - self.c))",
        "return float(lam.dot(self.product(lam) - self.c))",
        GAPS,
        "1/2 lam'Q lam",
    ),
    Mutant(
        "gradient of (D) without R",
        "subproblem/dual_subproblem.py",
        "return self.product(lam) - self.c + self.adversary.regularizer.gradient(lam)",
        "return self.product(lam) - self.c",
        GAPS,
        "grad (S + R)",
    ),
    Mutant(
        "cross-evaluation gap at the half-way point",
        "subproblem/dual_subproblem.py",
        "return self.adversary.gap(lam, self.c_tangent - self.product(lam))",
        "return self.adversary.gap(lam, self.c_tangent - 0.5 * self.product(lam))",
        GAPS,
        "ell = c - Q lam",
    ),
    Mutant(
        "Frank-Wolfe gap against the gradient",
        "subproblem/dual_subproblem.py",
        "return self.adversary.dual_set.regret(lam, -gradient)",
        "return self.adversary.dual_set.regret(lam, gradient)",
        GAPS,
        "max over mu of <grad, lam - mu>",
    ),
    Mutant(
        "optimality gap as a sum",
        "subproblem/dual_subproblem.py",
        "return self.objective(lam) - optimum",
        "return self.objective(lam) + optimum",
        GAPS,
        "(S + R)(lam) - optimum",
    ),
    Mutant(
        "rounding floor without the scale",
        "subproblem/dual_subproblem.py",
        "rounding_floor = ROUNDING_ERRORS * EPS * adversary.rounding_growth * max(scale, SMALLEST_NORMAL)",
        "rounding_floor = ROUNDING_ERRORS * EPS * adversary.rounding_growth",
        ("tests/subproblem/test_inner_solvers.py", "tests/subproblem/qp/test_primal_form.py"),
        "rounding errors are relative to the scale of (D)",
    ),
    Mutant(
        "pair gap without the half",
        "subproblem/factored_subproblem.py",
        "gap = self.adversary.gap(lam, self.c_tangent + self.factor.dot(u))\n"
        "        return gap + 0.5 * float(residual.dot(residual))",
        "gap = self.adversary.gap(lam, self.c_tangent + self.factor.dot(u))\n"
        "        return gap + float(residual.dot(residual))",
        ("tests/subproblem/sdp/test_semidefinite_program.py",),
        "1/2 |u + F'lam|^2",
    ),
    Mutant(
        "pair gap with u - F'lam",
        "subproblem/factored_subproblem.py",
        "residual = u + lam.dot(self.factor)",
        "residual = u - lam.dot(self.factor)",
        ("tests/subproblem/sdp/test_semidefinite_program.py",),
        "u = -F'lam closes the gap",
    ),
    Mutant(
        "sparse pair gap without the step",
        "subproblem/factored_subproblem.py",
        "gap = self.adversary.gap(lam, self.c_tangent + self.jacobian.change(u))",
        "gap = self.adversary.gap(lam, self.c_tangent - self.jacobian.change(u))",
        ("tests/subproblem/sdp/test_semidefinite_program.py",),
        "ell = c + F u",
    ),
    Mutant(
        "low-rank factor with the scale squared",
        "subproblem/factored_subproblem.py",
        "return subproblem.factor / np.sqrt(scale)",
        "return subproblem.factor / scale",
        ("tests/subproblem/test_random_instances.py", "tests/subproblem/test_response_newton.py"),
        "F F' = Q/scale",
    ),
    Mutant(
        "low-rank factor without its diagonal",
        "subproblem/factored_subproblem.py",
        "F[pivots - 1] = np.tril(L)[:, :rank]",
        "F[pivots - 1] = np.tril(L, -1)[:, :rank]",
        ("tests/subproblem/test_random_instances.py", "tests/subproblem/test_response_newton.py"),
        "the diagonal of the Cholesky factor belongs to F",
    ),
    Mutant(
        "Frank-Wolfe: restricted linear term added to c",
        "subproblem/frank_wolfe.py",
        "Q, c = Q + (V * H) @ V.T, c - V @ q",
        "Q, c = Q + (V * H) @ V.T, c + V @ q",
        ("tests/subproblem/test_barrier_free.py",),
        "R'(mu) = R(V'mu) adds its linear term to -c",
    ),
    Mutant(
        "Frank-Wolfe restricted quadratic without H",
        "subproblem/frank_wolfe.py",
        "Q, c = Q + (V * H) @ V.T, c - V @ q",
        "Q, c = Q + V @ V.T, c - V @ q",
        ("tests/subproblem/test_barrier_free.py",),
        "V diag(H) V'",
    ),
    Mutant(
        "Frank-Wolfe towards ascent",
        "subproblem/frank_wolfe.py",
        "v = support(-subproblem.gradient(lam))[1]",
        "v = support(subproblem.gradient(lam))[1]",
        ("tests/subproblem/test_barrier_free.py",),
        "the support point in the direction of steepest descent",
    ),
    Mutant(
        "Frank-Wolfe: restricted gradient averaged",
        "subproblem/frank_wolfe.py",
        "return self.V @ self.R.gradient(lam @ self.V)",
        "return self.V @ self.R.gradient(lam @ self.V) / len(self.V)",
        ("tests/subproblem/test_barrier_free.py",),
        "the gradient of R(V'mu) is V grad R",
    ),
    Mutant(
        "numerical gap without grad R",
        "adversary.py",
        "slope = z - self.regularizer.gradient(lam)",
        "slope = z",
        ("tests/subproblem/test_numerical_response.py",),
        "max over mu of <mu - lam, z - grad R(lam)>",
    ),
    Mutant(
        "gap that is nan reported as zero",
        "adversary.py",
        "return gap if gap > 0 or gap != gap else 0.0",
        "return gap if gap > 0 else 0.0",
        ADVERSARY,
        "a gap that cannot be measured is not zero",
    ),
    Mutant(
        "gap of the quadratic with the whole gradient",
        "regularizers/quadratic.py",
        "return float((best - lam).dot(z - self.gamma * (0.5 * (best + lam) - center)))",
        "return float((best - lam).dot(z - self.gamma * ((best + lam) - center)))",
        ADVERSARY,
        "R(best) - R(lam) = gamma <best - lam, (best + lam)/2 - center>",
    ),
    Mutant(
        "nearest point: lower bound of the distance",
        "dual_sets/nearest_point.py",
        "(distance * distance - improvement) / distance",
        "distance - improvement",
        ("tests/dual_sets/test_nearest_point.py",),
        "<r, x - v>/|r| <= the distance",
    ),
    Mutant(
        "local smoothness without the distance",
        "methods/saddle.py",
        "/ distance if distance > 0 else 0.0",
        "* distance if distance > 0 else 0.0",
        ("tests/methods/test_baselines.py",),
        "|(G(u) - G(v))'lam|/|u - v|",
    ),
)
