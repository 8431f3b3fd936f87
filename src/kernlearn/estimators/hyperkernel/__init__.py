"""Hyperkernel estimators and the learned metric."""
