"""The sections of a report, one per file: evidence in, blocks out."""
