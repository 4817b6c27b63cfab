"""The command line: ``saddleback``, or ``python -m saddleback``."""

from .main import main

__all__ = ["main"]
