"""Comparison with other libraries, each in its own environment, all graded by the same losses."""
