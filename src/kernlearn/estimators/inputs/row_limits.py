"""Up to how many rows the exact methods are the default."""

# Up to so many rows, Gram matrices fit comfortably and the exact solver takes seconds.
EXACT_ROWS = 3000
