"""(D) as a convex quadratic program: PIQP, then an active-set method for the last digits."""

from .quadratic_program import QuadraticProgram

__all__ = ["QuadraticProgram"]
