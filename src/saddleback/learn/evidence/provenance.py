"""Where a page comes from: when, by which versions, from which rows, with which settings."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy
import sklearn

from ..._version import __version__
from .subject import Subject


def provenance_of(
    subject: Subject,
    fingerprint: dict[str, Any],
    settings: Mapping[str, Any] | None,
    *,
    command: str | None,
    purpose: str | None,
    owner: str | None,
) -> dict[str, Any]:
    """Purpose and owner stay null until somebody fills them in."""
    model = subject.model
    if settings is None:
        settings = {"estimator class": type(model).__name__, **model.get_params(deep=False)}
    return {
        "created": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
            "saddleback": __version__,
        },
        "fingerprint": fingerprint,
        "settings": settings,
        "command": command,
        "purpose": purpose,
        "owner": owner,
    }
