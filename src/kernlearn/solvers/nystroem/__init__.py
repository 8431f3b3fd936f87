"""Learning through factors of the kernels, for more rows than a Gram matrix can hold."""
