"""Kernels on sequences of letters, given as strings."""
