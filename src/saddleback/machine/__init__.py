"""This process and its machine: clock, cores and memory, files."""
