"""The solvers that are compared. Each minimizes a problem from w = 0 until the losses end the run."""
