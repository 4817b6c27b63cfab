"""Fitted models and paths in files: `writing` and `path_writing` make parts of them, `reading` makes them of parts."""
