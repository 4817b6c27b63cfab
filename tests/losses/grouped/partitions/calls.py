"""Losses whose next sums are asked for in a certain way."""

import time

import numpy as np

LIMIT_SECONDS = 30.0


def asked_by(losses, way="calls"):
    """The same losses, once workers answer calls: evaluations are by tasks until they do."""
    end = time.monotonic() + LIMIT_SECONDS
    while losses._passes.residents.way != way:
        assert time.monotonic() < end, losses._passes.residents.way
        losses.values(np.zeros(losses.n_params))
        time.sleep(0.01)
    return losses
