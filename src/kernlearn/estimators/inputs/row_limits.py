"""Up to how many rows the exact methods are the default, of every estimator."""

# A Gram matrix of so many rows has 72 MB, so that a bank of six fits into half a gigabyte, and a
# factorisation takes a third of a second: an exact fit takes seconds.
EXACT_ROWS = 3000
# A mixture trains one machine at a time, on one matrix: twice the rows take no more memory or time.
# Through landmarks, 4500 rows of kin40k have a squared error of 0.042 of the variance, and of
# 0.030 ± 0.002 with the exact machine.
EXACT_ROWS_OF_ONE_MACHINE = 2 * EXACT_ROWS
