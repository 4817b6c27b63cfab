"""The numbers by which the compiled kernel knows the pointwise losses. HALF_SQUARE, eta^2/2, makes it apply X'X."""

LOGISTIC, SQUARED, HUBER, SQUARED_HINGE, POISSON, QUANTILE, SOFTMAX, HALF_SQUARE = range(8)
