"""Kernels written down, in plain characters and as HTML."""
