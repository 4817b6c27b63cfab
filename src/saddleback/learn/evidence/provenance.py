"""Where a page comes from: when, by which versions, from which rows, with which settings."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy
import sklearn

from ..._version import __version__
from .plain import plain
from .subject import Subject


def provenance_of(
    subject: Subject, fingerprint: dict[str, Any], *, command: str | None, purpose: str | None, owner: str | None
) -> dict[str, Any]:
    """Purpose and owner stay null until somebody fills them in."""
    settings = subject.model.get_params(deep=False)
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
        "settings": {"estimator class": type(subject.model).__name__}
        | {name: plain(v) for name, v in settings.items()},
        "command": command,
        "purpose": purpose,
        "owner": owner,
    }
