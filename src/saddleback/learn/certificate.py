"""The certificate of a fitted model, computed anew from its rows and without the run that found it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from sklearn.base import clone

from ..certify import Certificate, certify
from ..errors import ProblemError
from .fitting.reference import References
from .fitting.trainer import Trainer
from .groups.group_input import NO_GROUPS


@dataclass(frozen=True, eq=False)
class ModelCertificate:
    """What one evaluation proves of a model's objective on some rows.

    Attributes
    ----------
    certificate : Certificate
        Value, lower bound and gap, in standardized units.
    tolerance : float
        The gap that the model was to be certified to.
    l2 : float
        The penalty of the model.
    """

    certificate: Certificate
    tolerance: float
    l2: float

    @property
    def holds(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.certificate.holds(self.tolerance)


def certify_estimator(
    model: Any, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None
) -> ModelCertificate:
    """Certify how far the objective of a fitted linear model can be from the optimum on some rows, without its run.

    The problem is built from the rows and the settings of the model, as `fit` does, and its coefficients are given to
    `saddleback.certify`. What the fit has kept of its run is not used.

    Parameters
    ----------
    model : estimator
        A fitted `MinimaxClassifier`, `MinimaxRegressor` or one of their CV versions.
    X, y, sensitive_features, sample_weight
        The rows of the fit.

    Returns
    -------
    ModelCertificate
        ``certificate`` and whether it ``holds``.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> from saddleback.learn.certificate import certify_estimator
    >>> rng = np.random.default_rng(0)
    >>> X, town = rng.standard_normal((500, 2)), np.repeat(["big", "small"], [400, 100])
    >>> y = X[:, 0] + rng.logistic(size=500) > 0
    >>> model = sb.MinimaxClassifier(0.5).fit(X, y, sensitive_features=town)
    >>> certify_estimator(model, X, y, town).holds
    True
    """
    if getattr(model, "estimator_", None) is not None:
        raise ProblemError(
            "the certificate of a correction is about margins of clones of the corrected model that have not seen the "
            "rows; they are not kept with the model. Fit it again to see its certificate."
        )
    reader = clone(model)
    with catch_warnings():
        filterwarnings("ignore", message=NO_GROUPS)
        rows = reader._read_rows(X, y, sensitive_features, sample_weight)
    setting = reader._setting(rows)
    trainer, candidate = Trainer(rows, setting), model._candidate(rows)
    problem = trainer.problem(candidate, References(trainer).at(candidate.l2))
    w = trainer.standardized(np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_))
    return ModelCertificate(certify(problem, w), setting.tol, candidate.l2)
