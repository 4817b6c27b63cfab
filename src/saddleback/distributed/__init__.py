"""Tables and models on a Dask cluster.

`connect` starts workers on this machine or connects to a cluster that is there, and `read_parquet` reads files on its
workers. What they give goes where arrays and data frames go: to `saddleback.GroupedLinear` and to the estimators.

It needs the extra ``dask``: ``pip install 'saddleback[dask]'``.
"""

from __future__ import annotations

from ..errors import ClusterError, ClusterLost, MissingDependencyError

try:
    import dask  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise MissingDependencyError(
        f"saddleback.distributed needs {error.name}, which is not installed: pip install 'saddleback[dask]', or from a "
        "copy of the repository pip install '.[dask]'."
    ) from error

from .connecting import connect
from .frames import read_parquet

__all__ = ["ClusterError", "ClusterLost", "connect", "read_parquet"]
