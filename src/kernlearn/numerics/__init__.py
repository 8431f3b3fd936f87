"""Sums and decisions that do not depend on the order of additions."""
