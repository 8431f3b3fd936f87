"""Least-squares SVMs and first-level estimators."""
