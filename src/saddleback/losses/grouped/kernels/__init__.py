"""Compiled with Numba on first use, and only then imported: the rest of the library never waits for a compiler."""
