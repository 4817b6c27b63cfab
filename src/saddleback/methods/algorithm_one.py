"""Algorithm 1 of the paper to the letter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from .._types import Params, Vector
from ..capabilities import PARTS, Needs
from ..dual_sets import Simplex
from ..engine.certificates import Minorant
from ..engine.evaluation import Breakdown
from ..engine.method import State
from ..engine.oracle import Oracle
from ..errors import IncompatibleError
from ..losses.base import HasSmoothness
from ..regularizers.base import QuadraticForm
from ..subproblem import InnerSolver, TrustConstr
from .smoothness import SmoothMethod, known_smoothness
from .steps import paper_step


@dataclass(frozen=True)
class NeedsL(Needs):
    """Needs of the losses that a given L meets as well, which the refusal says."""

    def unmet(self, adversary: Any, losses: object = None) -> str | None:
        reason = super().unmet(adversary, losses)
        if reason is None or not reason.startswith(PARTS["losses"]):
            return reason
        return f"{reason}, and no L is given, as in AlgorithmOne(smoothness=1.0)"


@dataclass(frozen=True, eq=False, kw_only=True)
class AlgorithmOneState(State):
    """w_{t+1}, w_{t+1}^ag (``point``), A_t and t; L; the average of the linearizations, for the certificate."""

    w: Params
    A: float = 0.0
    t: int = 0
    L: float
    average: Minorant | None = None


@dataclass(frozen=True)
class AlgorithmOne(SmoothMethod[AlgorithmOneState]):
    """The paper's Algorithm 1 as printed, with its stop of the quadratic program; `Accelerated` is our form of it.

    alpha_t = (1 + sqrt(1 + 4 L A_{t-1}))/(4L), A_t = A_{t-1} + alpha_t;  md = (A_{t-1} ag + alpha_t w)/A_t;
    lam from (D) with Q = (alpha_t^2/A_t) G G', c = f(md), by SciPy's trust-constr from the center of the simplex until
    the inexact KKT conditions of Lemma 4.1 hold with (eps_tau, eps_g) = (L/(2 J t^4), L/(4 t^4));
    w+ = w - alpha_t G' lam;  ag+ = (A_{t-1} ag + alpha_t w+)/A_t.

    L is constant; nothing is backtracked, restarted, rescaled or warm-started, the measured gap of (D) decides nothing,
    and the answer is the last ag. ``tol=0`` runs all ``max_iter`` iterations, the paper's T. Where L/t^4 is below about
    1e-6 of the scale of (D), SciPy cannot meet the conditions in float64: the step then takes the point with the least
    bound of the lemma, and `Result.message` counts it. The losses are also evaluated at ag+, which the algorithm does
    not need, for the value and the certificate. That certificate is of the average of all
    linearizations: `saddleback.certify`, which reads the losses at the answer only, may prove less.

    Parameters
    ----------
    smoothness : float, optional
        L. Without it the L that the losses offer; losses that offer none are refused.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> losses = sb.from_functions(lambda w: ([w @ w, (w - 1) @ (w - 1)], [2 * w, 2 * w - 2]), np.zeros(1), jac=True)
    >>> result = sb.solve(sb.Problem(losses), np.zeros(1), method=sb.AlgorithmOne(smoothness=2.0), tol=1e-3)
    >>> result.success, round(result.value, 2)
    (True, 0.25)
    """

    name: ClassVar[str] = "algorithm-1"
    needs: ClassVar[Needs] = NeedsL(losses=(HasSmoothness,), dual_set=(Simplex,), regularizer=(QuadraticForm,))
    answers_last: ClassVar[bool] = True
    own_inner: ClassVar[InnerSolver | None] = TrustConstr(stop="kkt")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smoothness is not None:
            # With a given L nothing is asked of the losses.
            object.__setattr__(self, "needs", replace(self.needs, losses=()))

    def init(self, oracle: Oracle, w0: Vector) -> AlgorithmOneState:
        L = known_smoothness(oracle, self.smoothness)
        if L is None:
            raise IncompatibleError(
                "algorithm-1 needs L > 0; the losses offer none, or 0. Give one, as in AlgorithmOne(smoothness=1.0)."
            )
        at = oracle.evaluate(w0)
        return AlgorithmOneState(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),), w=w0, L=L)

    def step(self, oracle: Oracle, state: AlgorithmOneState) -> AlgorithmOneState:
        L, t, ag = state.L, state.t + 1, state.point.w
        alpha = paper_step(L, state.A)
        A = state.A + alpha
        md = state.A / A * ag + alpha / A * state.w
        at = oracle.evaluate(md)
        if not at.finite:
            raise Breakdown("the losses are not finite at the next point md; L may be too small")
        # TrustConstr(stop="kkt") divides its tolerance by 2J and by 4 (subproblem.qp.kkt.tolerances).
        solution = oracle.dual_step(alpha * (alpha / A) * at.gram, at.f, L / t**4, floored=False)
        slope = at.slope(solution.lam)
        w = state.w - alpha * slope
        ag = state.A / A * ag + alpha / A * w

        cut = oracle.cut(at, solution.lam, slope)
        average = cut if state.average is None else state.average.mix(cut, alpha / A)
        return replace(
            state,
            point=oracle.point(ag),
            lam=solution.lam,
            minorants=(cut, average),
            inner_gap=solution.gap,
            inner_iter=solution.n_iter,
            w=w,
            A=A,
            t=t,
            average=average,
        )
