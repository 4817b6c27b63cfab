"""(D) by following its central path."""

from .path_following import PathFollowing

__all__ = ["PathFollowing"]
