"""The methods ``evidence`` and ``report`` of every estimator."""

from __future__ import annotations

from typing import Any

from .challenger_models import AUTO
from .collect import N_BOOTSTRAP, collect_evidence


class HasEvidence:
    """An estimator that can say what it is worth, on rows that had no part in its fit or choice."""

    def evidence(
        self,
        X: Any = None,
        y: Any = None,
        sensitive_features: Any = None,
        *,
        sample_weight: Any = None,
        test: Any = None,
        challengers: Any = AUTO,
        folds: Any = AUTO,
        n_bootstrap: int = N_BOOTSTRAP,
        random_state: Any = 0,
        positive: Any = None,
        title: str | None = None,
        purpose: str | None = None,
        owner: str | None = None,
        feature_names: Any = None,
        command: str | None = None,
        tell: Any = None,
    ) -> dict[str, Any]:
        """Everything that the report of this model says, as plain data for JSON.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight
            The rows of the fit; by default those that the model has kept. Pickles and saved files do not carry them.
        test : tuple, optional
            (X, y, sensitive_features) of rows that the model has not seen, which then judge all models.
        challengers : "auto", None or list
            Gradient boosting and its correction ("auto"), nothing, or pairs (name, estimator).
        folds : "auto" or int
            The number of outer folds, in each of which the whole fit is repeated; by default 5, and one split of more
            than 20,000 rows.
        n_bootstrap : int
            The number of bootstrap resamples at most.
        random_state : int
            Draws folds and resamples.
        positive : label, optional
            The positive class of two; by default the second.
        title, purpose, owner, command : str, optional
            What is printed.
        feature_names : list of str, optional
            The names of the features, where X has none.
        tell : callable, optional
            Is called with a short text as the work gets on.
        """
        return collect_evidence(
            self,
            X,
            y,
            sensitive_features,
            sample_weight=sample_weight,
            test=test,
            challengers=challengers,
            folds=folds,
            n_bootstrap=n_bootstrap,
            random_state=random_state,
            positive=positive,
            title=title,
            purpose=purpose,
            owner=owner,
            feature_names=feature_names,
            command=command,
            tell=tell,
        )
