"""The path from the average model to the worst-group model: certified models, held-out curves, the knee, a plot."""
