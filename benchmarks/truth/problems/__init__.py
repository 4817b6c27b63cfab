"""Problems with known optima, which are chosen first or computed by other solvers."""
