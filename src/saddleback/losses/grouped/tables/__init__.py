"""Feature matrices: how rows lie in memory, and in which order and by which thread they are read."""
