"""The minimum over the weights: Newton's method, PSD cuts, column generation."""
