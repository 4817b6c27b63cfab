"""A linear correction of a model that the user already has: its margin plus x'w + b."""
