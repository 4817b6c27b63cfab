"""Problems with known optima: how they are made, and how their optima are found without the solver on trial."""
