"""(D) by following its central path, for any set with a self-concordant barrier."""

from .path_following import PathFollowing

__all__ = ["PathFollowing"]
