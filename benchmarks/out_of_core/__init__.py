"""A table that is larger than what a process may have, solved there: how fast, and to which value.

``python -m benchmarks.out_of_core [--gigabytes 12] [--parquet-gigabytes 1] [--folder DIR]`` writes the tables of
`tables` to a folder, solves each in a process whose address space is limited (`limited`) and in one without a limit
(`unlimited`), prints the speeds beside that of a loop that only reads the same file in the same process, and deletes
the files.
"""
