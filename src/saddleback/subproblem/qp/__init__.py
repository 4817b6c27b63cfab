"""(D) as a quadratic program."""

from .quadratic_program import QuadraticProgram

__all__ = ["QuadraticProgram"]
