"""Up to how many rows the exact methods are the default, of every estimator."""

# A Gram matrix of so many rows has 72 MB, so that a bank of six fits into half a gigabyte, and a
# factorisation takes a third of a second: an exact fit takes seconds. Nothing else has this number.
EXACT_ROWS = 3000
