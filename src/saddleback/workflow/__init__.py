"""What the commands do: a table in; a model file, predictions and a report out."""
