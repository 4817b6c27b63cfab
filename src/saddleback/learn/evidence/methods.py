"""The methods ``evidence`` and ``report`` of every estimator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...report import check_place, write_report
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
        class_names: Any = None,
        data: Any = None,
        settings: Any = None,
        fingerprint: Any = None,
        command: str | None = None,
        tell: Any = None,
    ) -> dict[str, Any]:
        """Everything that the report of this model says, as plain data for JSON.

        All models are compared on rows that had no part in their fit or choice.

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
            The number of bootstrap resamples at most; 0 for none.
        random_state : int
            Draws folds and resamples.
        positive : label, optional
            The positive class of two; by default the second.
        title, purpose, owner, command : str, optional
            What is printed; purpose and owner stay blank by default.
        feature_names, class_names : list of str, optional
            The names of the features where X has none, and what classes are called, in the order of ``classes_``.
        data, settings, fingerprint : dict, optional
            What is known of the table ("columns", "findings", "missing"); settings in place of the parameters; a
            fingerprint in place of that of the rows ("sha256", "rows", "columns", "of").
        tell : callable, optional
            Is called with a short text as the work gets on.

        Returns
        -------
        dict
            The evidence, as `saddleback.report.check_evidence` describes it.

        Examples
        --------
        >>> import numpy as np
        >>> import saddleback as sb
        >>> rng = np.random.default_rng(0)
        >>> X, town = rng.standard_normal((200, 2)), np.repeat(["big", "small"], [160, 40])
        >>> y = X[:, 0] + np.where(town == "big", 1.0, -1.0) * X[:, 1] + rng.logistic(size=200) > 0
        >>> model = sb.MinimaxClassifier(worst_weight=0.5).fit(X, y, sensitive_features=town)
        >>> evidence = model.evidence(challengers=None, n_bootstrap=10)
        >>> evidence["outcome"], evidence["rows"]["held_out_kind"], len(evidence["answer"])
        ('given', 'outer folds', 3)
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
            class_names=class_names,
            data=data,
            settings=settings,
            fingerprint=fingerprint,
            command=command,
            tell=tell,
        )

    def report(
        self,
        path: Any,
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
        class_names: Any = None,
        data: Any = None,
        settings: Any = None,
        fingerprint: Any = None,
        command: str | None = None,
        tell: Any = None,
    ) -> Path:
        """Write the report of this model: a page (.html), a model card (.md) or plain data (.json).

        Parameters
        ----------
        path : str or path
            The file; its suffix says which of the three. The page needs the extra ``report``.
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
            The number of bootstrap resamples at most; 0 for none.
        random_state : int
            Draws folds and resamples.
        positive : label, optional
            The positive class of two; by default the second.
        title, purpose, owner, command : str, optional
            What is printed; purpose and owner stay blank by default.
        feature_names, class_names : list of str, optional
            The names of the features where X has none, and what classes are called, in the order of ``classes_``.
        data, settings, fingerprint : dict, optional
            What is known of the table ("columns", "findings", "missing"); settings in place of the parameters; a
            fingerprint in place of that of the rows ("sha256", "rows", "columns", "of").
        tell : callable, optional
            Is called with a short text as the work gets on.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import numpy as np
        >>> import saddleback as sb
        >>> rng = np.random.default_rng(0)
        >>> X, town = rng.standard_normal((200, 2)), np.repeat(["big", "small"], [160, 40])
        >>> y = X[:, 0] + np.where(town == "big", 1.0, -1.0) * X[:, 1] + rng.logistic(size=200) > 0
        >>> model = sb.MinimaxClassifier(worst_weight=0.5).fit(X, y, sensitive_features=town)
        >>> model.report("report.html", challengers=None, n_bootstrap=10)  # doctest: +SKIP
        """
        check_place(path)
        evidence = self.evidence(
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
            class_names=class_names,
            data=data,
            settings=settings,
            fingerprint=fingerprint,
            command=command,
            tell=tell,
        )
        return write_report(evidence, path)
