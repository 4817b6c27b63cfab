"""Measurements: `make bench` (all sections, side by side in one process) and `make reproduce` (the paper's recipe)."""
