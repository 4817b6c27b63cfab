"""One run: the oracle, the loop's bookkeeping, certificates, stopping and checkpointing."""
