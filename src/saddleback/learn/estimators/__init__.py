"""Classifiers and regressors of the kind of scikit-learn."""
