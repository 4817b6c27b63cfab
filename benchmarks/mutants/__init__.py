"""`make mutants`: formulas of the package changed on purpose, each with the tests that must notice."""
