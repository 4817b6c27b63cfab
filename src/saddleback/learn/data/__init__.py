"""The arguments of the estimators: features, rows, standard deviations, folds."""
