"""(D) on the spectrahedron as a semidefinite program in the parameters."""

from .semidefinite_program import SemidefiniteProgram

__all__ = ["SemidefiniteProgram"]
