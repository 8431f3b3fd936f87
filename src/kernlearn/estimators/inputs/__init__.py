"""Inputs of estimators: validation, sources, sparse rows, devices, clusters."""
