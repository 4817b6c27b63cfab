"""Tables that are not read into memory: their rows are encoded where they are, block by block."""
