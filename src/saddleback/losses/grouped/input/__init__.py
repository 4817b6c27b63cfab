"""Arguments of GroupedLinear: features, responses, groups and weights, checked and converted to arrays."""
