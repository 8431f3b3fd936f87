"""Targets other than classes and numbers: counts, grades, several labels, outlying targets."""
