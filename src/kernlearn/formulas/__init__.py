"""Kernels written down: in plain characters (`formula`), and as HTML (`markup`)."""
