"""Exit statuses."""

BAD_INPUT = 2
INTERRUPTED = 130
