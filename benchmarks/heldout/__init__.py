"""Held-out study: nested cross-validation of average, worst-group and selected models over many tables."""
