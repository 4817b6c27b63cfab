"""The method ``save`` of all estimators."""

from __future__ import annotations

from os import PathLike

from ...storage import save
from .writing import model_parts


class Saved:
    """An estimator that can be written to a file."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to a file, which `saddleback.load` reads.

        The file holds parameters, coefficients, names of classes, columns and groups, the run and, where there was
        one, the selection; not the training rows. The loaded model predicts the same, to the last bit. It is written
        in one atomic step: as a whole, or what was there stays. The format is safetensors (docs/files.md); unlike a
        pickle, a file of unknown origin is safe to load.

        Parameters
        ----------
        path : path
            The file. Its folder must exist; a file of this program is replaced, any other one is refused.

        Examples
        --------
        >>> import os, tempfile
        >>> import numpy as np
        >>> import saddleback as sb
        >>> rng = np.random.default_rng(0)
        >>> X, town = rng.standard_normal((200, 2)), np.repeat(["big", "small"], [160, 40])
        >>> y = X[:, 0] + rng.logistic(size=200) > 0
        >>> model = sb.MinimaxClassifier().fit(X, y, sensitive_features=town)
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> model.save(path)
        >>> bool((sb.load(path).predict_proba(X) == model.predict_proba(X)).all())
        True
        """
        texts, arrays = model_parts(self)
        save(path, "model", texts, arrays)
