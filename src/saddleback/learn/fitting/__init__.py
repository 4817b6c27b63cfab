"""Fits of candidates between the average model and the worst-group model to given rows."""
