"""Page, model card and JSON of a model's evidence."""
