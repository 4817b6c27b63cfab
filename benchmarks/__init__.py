"""Measurements: `make bench` (all sections, interleaved in one process) and `make truth` (reliability)."""
