"""Losses on a Dask cluster: speed, messages and faults."""
