"""What the kernel is chosen from: families of matrices, and where their weights may lie."""
