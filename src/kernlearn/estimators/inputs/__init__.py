"""What comes into an estimator: validation, sources, sparse rows, devices, clusters."""
