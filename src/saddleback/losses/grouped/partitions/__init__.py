"""Tables in partitions: those of Dask arrays or data frames, on a cluster or in this process, or sections of files.

`opening` makes a *resident* of every partition, its rows in the layout of the kernels, in five steps: `loading` checks
a partition, `labels` and `group_names` say which labels it has, `preparing` numbers them by the names of all
partitions, `weighing` adds up weights, `resident` arranges the rows. An *executor* holds the partitions and applies a
step to each: `in_process` here, `on_workers` on a cluster, where `placement` says who has which and `recovery` what a
failure means. Workers are asked by `tasks`, or for sums by `calling` them, who are `answering`. Sections of files
(`streaming`) are `streamed`: steps are applied when a partition is asked for, its rows are read in every pass, and what
else a resident knows is `packed` and `kept` in between.
`tree` adds the sums of partitions in a fixed order, so that the bits do not depend on who adds them; `works` are the
sums, and `partition_passes` asks for them.
"""
