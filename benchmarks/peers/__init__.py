"""The same jobs by what one would pick otherwise: every peer in an environment of its own, none graded by itself."""
