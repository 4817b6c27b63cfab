"""Tables whose rows are in the partitions of Dask arrays or data frames, on a cluster or in this process.

`opening` makes a *resident* of every partition, its rows in the layout of the kernels, in five steps: `loading` checks
a partition, `labels` and `group_names` say which labels it has, `preparing` numbers them by the names of all
partitions, `weighing` adds up weights, `resident` arranges the rows. An *executor* holds the partitions and applies a
step to each: `in_process` here, `on_workers` on a cluster, where `placement` says who has which and `recovery` what a
failure means.
`tree` adds the sums of partitions in a fixed order, so that the bits do not depend on who adds them; `works` are the
sums, and `partition_passes` asks for them.
"""
