"""The evidence of a fitted model: everything that its report says, as plain data."""
