"""What held-out rows tell: folds, probabilities, intervals."""
