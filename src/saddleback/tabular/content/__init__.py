"""What the values of a column are: numbers, texts, times."""
