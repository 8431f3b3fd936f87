"""λ, C, bandwidths and mixtures by held-out loss."""
