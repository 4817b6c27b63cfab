"""Measurements: `make bench` (small, side by side in one process) and `make reproduce` (the paper's recipe)."""
