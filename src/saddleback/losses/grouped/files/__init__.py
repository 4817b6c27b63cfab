"""Tables in files that may be larger than memory: `.npy` files, Parquet files, and folders and patterns of either.

A `block_source` hands out a table in blocks of rows, of which each thread holds one at a time: `npy_blocks` and
`parquet_blocks` read them, `joined_blocks` puts several files one after the other. `file_table` is what users see.
"""
