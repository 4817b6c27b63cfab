"""Directions of recession, the probe of the Hessian, and estimates of the gap."""

from __future__ import annotations

from ..mutant import Mutant

RECESSION = ("tests/engine/test_recession.py",)
UNBOUNDED = ("tests/engine/test_unbounded.py",)
PROBE = ("tests/engine/test_hessian_probe.py",)
STOPPING = ("tests/engine/test_stopping.py",)

MUTANTS = (
    Mutant(
        "shortest average without normalization",
        "engine/recession.py",
        "x /= norms\n    return x / x.sum()",
        "return x / x.sum()",
        RECESSION,
        "the weights of the slopes, not of their normalized columns",
    ),
    Mutant(
        "shortest average against the gradient",
        "engine/recession.py",
        "gradient = np.where(active, -np.inf, A.T @ residual)",
        "gradient = np.where(active, -np.inf, -(A.T @ residual))",
        RECESSION,
        "the slope that shortens the average most enters",
    ),
    Mutant(
        "direction of recession upwards",
        "engine/recession.py",
        "np.linalg.lstsq(S / lengths[:, None], -1.0 / lengths, rcond=None)",
        "np.linalg.lstsq(S / lengths[:, None], 1.0 / lengths, rcond=None)",
        RECESSION,
        "S u = -1",
    ),
    Mutant(
        "direction of recession along strongly convex coordinates",
        "engine/recession.py",
        "S = np.where(self._flat, S / self.largest, 0.0)",
        "S = S / self.largest",
        RECESSION,
        "u is zero where g is strongly convex",
    ),
    Mutant(
        "ray must fall at twice the rate",
        "engine/unbounded.py",
        "predicted = min(lowest, best.value - 0.5 * rate * t)",
        "predicted = min(lowest, best.value - 2.0 * rate * t)",
        UNBOUNDED,
        "g falls at least at half the rate",
    ),
    Mutant(
        "fall below the limit counts as infinite",
        "engine/unbounded.py",
        "infinite = min(fall, -lowest) > INFINITE_DECREASE * self._magnitude",
        "infinite = fall < INFINITE_DECREASE * self._magnitude",
        UNBOUNDED,
        "a fall of many times the magnitude counts as infinite",
    ),
    Mutant(
        "fastest decrease with the wrong sign",
        "engine/unbounded.py",
        "fastest = -FASTEST_FACTOR * float(best.slope(best.lam) @ u)",
        "fastest = FASTEST_FACTOR * float(best.slope(best.lam) @ u)",
        UNBOUNDED,
        "a convex g falls fastest at the beginning of a ray",
    ),
    Mutant(
        "probe: prediction without p'Pp",
        "engine/hessian_probe.py",
        "return at.value - oracle.adversary.value(at.f + change) + 0.5 * float(lam.dot(change))",
        "return at.value - oracle.adversary.value(at.f + change)",
        PROBE,
        "p'Pp = -<lam, G p>",
    ),
    Mutant(
        "probe: weak duality without its half",
        "engine/hessian_probe.py",
        "predicted = oracle.adversary.gap(lam, at.f) + 0.5 * float(slope.dot(x))",
        "predicted = oracle.adversary.gap(lam, at.f) + 0.0 * float(slope.dot(x))",
        PROBE,
        "1/2 s'H^-1 s",
    ),
    Mutant(
        "probe: differences not scaled back",
        "engine/hessian_probe.py",
        "S, Y = directions.T, ((HV / scales).T @ vectors).T",
        "S, Y = directions.T, ((HV * scales).T @ vectors).T",
        PROBE,
        "H times a direction in the parameters' own units",
    ),
    Mutant(
        "probe: difference without its distance",
        "engine/hessian_probe.py",
        "(there.slope(lam) - slope) * scales / distance",
        "(there.slope(lam) - slope) * scales",
        PROBE,
        "(G(w + d q) - G(w))'lam/d",
    ),
    Mutant(
        "probe: scaled Hessian with 1/diagonal",
        "engine/hessian_probe.py",
        "scales[used] = 1.0 / np.sqrt(diagonal[used])",
        "scales[used] = 1.0 / diagonal[used]",
        PROBE,
        "a diagonal of ones",
    ),
    Mutant(
        "probe: negative curvature of any size",
        "engine/hessian_probe.py",
        "if second_derivative >= -NOISE_MARGIN * noise:",
        "if second_derivative >= NOISE_MARGIN * noise:",
        PROBE,
        "negative beyond the noise",
    ),
    Mutant(
        "estimate without the geometric sum",
        "engine/history.py",
        "self.estimate.append(max(predicted, 0.0) / (1.0 - self.contraction()))",
        "self.estimate.append(max(predicted, 0.0))",
        STOPPING,
        "1 + r + r^2 + ... = 1/(1 - r)",
    ),
    Mutant(
        "contraction without its root",
        "engine/history.py",
        "return min(SLOWEST_RATE, sqrt(now / earlier))",
        "return min(SLOWEST_RATE, now / earlier)",
        STOPPING,
        "two decreases lie between: the rate is the root",
    ),
    Mutant(
        "threshold of the larger tolerance",
        "engine/stopping.py",
        "return relative if relative > tol else tol",
        "return tol if relative > tol else relative",
        STOPPING,
        "max(tol, min(tol, 1e-10) |value|)",
    ),
    Mutant(
        "guessed scales without the root",
        "engine/parameter_scales.py",
        "logs = np.where(own > 0.0, 0.5 * (logs + np.log2(own)), logs)",
        "logs = np.where(own > 0.0, logs + np.log2(own), logs)",
        ("tests/engine/test_parameter_scales.py",),
        "the square of a scale is |f| |w|/|column|",
    ),
    Mutant(
        "scales by strong convexity without the root",
        "engine/parameter_scales.py",
        "np.sqrt(strong_convexity / (at.magnitude or 1.0))",
        "strong_convexity / (at.magnitude or 1.0)",
        ("tests/engine/test_parameter_scales.py",),
        "m/2 w^2 changes by the magnitude over sqrt(magnitude/m)",
    ),
)
