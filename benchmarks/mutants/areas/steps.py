"""Step sizes, proximal steps and the smoothness constant."""

from __future__ import annotations

from ..mutant import Mutant

RULES = ("tests/theory/test_step_sizes.py",)
SLOPE = ("tests/theory/test_slope.py",)
BASELINES = ("tests/methods/test_baselines.py",)

MUTANTS = (
    Mutant(
        "paper step with 2L",
        "methods/steps.py",
        "return (1.0 + sqrt(1.0 + 4.0 * L * A)) / (4.0 * L)",
        "return (1.0 + sqrt(1.0 + 4.0 * L * A)) / (2.0 * L)",
        RULES,
        "2 L alpha^2 <= A of the paper's rule loses its factor 2",
    ),
    Mutant(
        "paper step without the 4 under the root",
        "methods/steps.py",
        "return (1.0 + sqrt(1.0 + 4.0 * L * A)) / (4.0 * L)",
        "return (1.0 + sqrt(1.0 + L * A)) / (4.0 * L)",
        RULES,
        "alpha is no root of 2 L alpha^2 = alpha + ...",
    ),
    Mutant(
        "sharp step with 8 L A",
        "methods/steps.py",
        "sqrt(b * b + 4.0 * a * share",
        "sqrt(b * b + 8.0 * a * share",
        RULES,
        "L alpha^2 = A",
    ),
    Mutant(
        "proximity without its half",
        "methods/prox_step.py",
        "return -0.5 * float(ddot(self.slope, self.direction))",
        "return -float(ddot(self.slope, self.direction))",
        ("tests/methods/test_prox_step.py",),
        "1/2 p'Pp",
    ),
    Mutant(
        "smoothness condition with L instead of L/2",
        "methods/prox_step.py",
        "self.error <= 0.5 * L * self.length_squared + self.noise",
        "self.error <= L * self.length_squared + self.noise",
        ("tests/methods/test_prox_step.py",),
        "g(v) <= h(ell) + L/2 |v - u|^2",
    ),
    Mutant(
        "needed smoothness without its 2",
        "methods/prox_step.py",
        "return 2.0 * max(0.0, self.error + self.noise) / length_squared",
        "return max(0.0, self.error + self.noise) / length_squared",
        ("tests/methods/test_prox_step.py",),
        "the least L with error <= L/2 |p|^2",
    ),
    Mutant(
        "predicted decrease without the proximal term",
        "methods/prox_step.py",
        "return self.base.value - self.model_value - self.proximity",
        "return self.base.value - self.model_value",
        ("tests/methods/test_prox_step.py",),
        "g(u) - [h(ell) + |v - u|^2/(2 eta)]",
    ),
    Mutant(
        "factor of (D) with eta instead of its root",
        "methods/prox_step.py",
        "factor=np.sqrt(eta) * base.G",
        "factor=eta * base.G",
        ("tests/methods/test_prox_step.py",),
        "Q = eta G G' where it is given by its factor",
    ),
    Mutant(
        "step against eta squared",
        "methods/prox_step.py",
        "direction = -eta * slope",
        "direction = -eta * eta * slope",
        SLOPE,
        "v = u - eta G'lam",
    ),
    Mutant(
        "prox-linear steps of 2/L",
        "methods/prox_linear.py",
        "step = prox_step(oracle, at, 1.0 / smoothness.L,",
        "step = prox_step(oracle, at, 2.0 / smoothness.L,",
        ("tests/methods/test_prox_step.py",),
        "the step of length eta = 1/L that L admits",
    ),
    Mutant(
        "smoothness of the guess without the square",
        "methods/smoothness.py",
        "L = largest**2 / at.magnitude if at.magnitude > 0",
        "L = largest / at.magnitude if at.magnitude > 0",
        ("tests/methods/test_prox_step.py",),
        "|grad|^2/|f|, which has the unit of L",
    ),
    Mutant(
        "smoothness below what a step needed",
        "methods/smoothness.py",
        "needed = CONTROL.increase_margin * step.needed_smoothness / self.L",
        "needed = CONTROL.increase_margin * step.needed_smoothness * self.L",
        ("tests/methods/test_prox_step.py",),
        "the factor by which L must grow",
    ),
    Mutant(
        "extragradient step from the middle",
        "methods/extragradient.py",
        "new = oracle.evaluate(at.w - half.eta * (half.middle.slope(half.lam)))",
        "new = oracle.evaluate(half.middle.w - half.eta * (half.middle.slope(half.lam)))",
        BASELINES,
        "the full step starts at the base point",
    ),
    Mutant(
        "optimistic steps twice as long",
        "methods/optimistic.py",
        "step_share: ClassVar[float] = 0.5",
        "step_share: ClassVar[float] = 1.0",
        BASELINES,
        "eta = 1/(2 (max(L, gamma) + |G|))",
    ),
    Mutant(
        "saddle average with the sum of the step sizes",
        "methods/saddle.py",
        "state.average.mix(cut, half.eta / weight)",
        "state.average.mix(cut, half.eta / (weight + half.eta))",
        BASELINES,
        "the average weighted with the step sizes: theta = eta/(sum of eta)",
    ),
    Mutant(
        "fixed point without Q lam",
        "methods/fixed_point.py",
        "c = step.point.f + eta * at.change(step.slope)",
        "c = step.point.f",
        ("tests/theory/test_fixed_point_theorem.py",),
        "c = f(ag+) + Q lam",
    ),
)
