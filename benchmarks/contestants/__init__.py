"""The solvers that are compared. Each takes a problem and minimizes it from w = 0 until the losses stop it."""
