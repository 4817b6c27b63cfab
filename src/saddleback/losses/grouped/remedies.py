"""What to do with features that are no finite numbers, by where the rows are."""

from __future__ import annotations

IMPUTE = "Impute such entries, or drop their rows."
"""Entries that are not finite, in memory."""

ENCODE = (
    "Encode categories by scikit-learn's OneHotEncoder in a pipeline, which makes the same columns at prediction, or "
    "by pandas.get_dummies; fill or drop missing entries."
)
"""Columns that are no numbers, in memory."""

IMPUTE_FILES = (
    "Impute such entries, or drop their rows; saddleback fit --out-of-core fills missing ones, in Python "
    "saddleback.fit_table(files, ..., out_of_core=True)."
)
"""Entries of Parquet files."""

_FROM_FILES = "saddleback fit --scheduler, in Python saddleback.fit_table(files, ..., scheduler=...), which"

IMPUTE_ON_WORKERS = (
    "Impute such entries, X.fillna(...) of a data frame, or drop their rows; or have Parquet files read by "
    f"{_FROM_FILES} fills missing ones."
)
"""Entries of a Dask collection."""

ENCODE_ON_WORKERS = (
    "Encode categories by dask.dataframe.get_dummies(X.categorize()), and fill or drop missing entries; or have "
    f"Parquet files read by {_FROM_FILES} does both on the workers."
)
"""Columns of a Dask data frame: encoders of scikit-learn and pandas take no rows on workers."""
