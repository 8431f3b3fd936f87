"""From the user's tables and sources to the numbers that kernels take."""
