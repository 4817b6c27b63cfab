"""What evidence must look like, and the check of it."""

from .evidence import check_evidence

__all__ = ["check_evidence"]
