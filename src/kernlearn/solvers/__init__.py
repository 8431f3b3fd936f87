"""Newton over the weights, eigenvector cuts, machines at a fixed kernel, certificates."""
