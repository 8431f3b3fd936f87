"""Statistics of held-out rows: folds, probabilities, intervals."""
