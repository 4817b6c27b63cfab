"""Damaged files through the readers: `python -m benchmarks.fuzz tables --n 100000 --seed 0`.

Every reader must answer any bytes with a value or with a ProblemError of one line. A target is a reader with files to
start from; each input is a file of the start, changed at random. Inputs run in child processes, in batches, so that a
crash of a library is counted and its input kept, and the run goes on. With ``--atheris`` libFuzzer chooses the changes
by what they reach, where atheris is installed.

To add a reader, write a module with a `Target`, and add it to `targets.py`.
"""
