"""Linear algebra: structured Hessians, symmetric matrices as vectors, sparse matrices, BLAS threads."""
