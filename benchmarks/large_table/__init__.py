"""A large CSV file from reading to a model: time of each part, share of the solver, peak memory."""
