"""Combinations of kernels."""
