"""The knee of the path: where further gain for the worst group begins to cost more than it did."""

from __future__ import annotations

import numpy as np

from ..selection.one_se import RESOLUTION, Choice


def knee_of(choice: Choice) -> int:
    """The number of the candidate at the knee; candidates are in the order of their worst weights, p = 0 first.

    Kneedle (Satopaa, Albrecht, Irwin and Raghavan 2011) in the plane of price and gain. The gain of p is what the worst
    group gains over p = 0 on held-out rows, its price what all rows lose on average, at least 0. Only gains that chance
    does not explain among so many are looked at: those above ``choice.quantile`` standard errors. If there is none, the
    knee is p = 0. Else b is the p of the largest such gain: beyond b nothing is gained. In units of the price and the
    gain of b the chord from p = 0 to b is the diagonal, and the knee is the p up to b with the largest

        gain(p) / gain(b) - price(p) / price(b),

    its distance above the chord; of equal ones the first. Before the knee a gain costs less than it does on the whole
    way to b, behind it more. It is b itself where no p is above the chord, and where b costs nothing.
    """
    gains, prices = choice.gains, choice.prices
    with np.errstate(invalid="ignore"):
        certain = np.isfinite(gains) & (gains > choice.quantile * choice.gain_errors)
    certain &= gains > RESOLUTION * np.abs(choice.worst_losses[choice.average])
    certain[choice.average] = False
    if not certain.any():
        return choice.average
    b = int(np.argmax(np.where(certain, gains, -np.inf)))
    relative = prices / prices[b] if prices[b] > 0.0 else np.zeros_like(prices)
    distance = gains / gains[b] - relative
    distance[~certain] = -np.inf
    distance[b + 1 :] = -np.inf
    best = int(np.argmax(distance))
    return best if distance[best] > 0.0 else b
