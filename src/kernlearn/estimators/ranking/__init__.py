"""Ranking: machines that learn from which of two rows comes first."""
