"""Orders of convergence, measured on problems whose solution is known to the last digit."""
