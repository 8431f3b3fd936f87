"""Most rows for which exact Gram matrices are the default; above, landmarks are.

==========================  =====  =================================================================
number                      rows   reason
==========================  =====  =================================================================
EXACT_ROWS                  3,000  A Gram matrix has 72 MB and is factorised in a third of a second:
                                   a bank of six takes half a gigabyte, and a fit seconds.
EXACT_ROWS_OF_ONE_MACHINE   6,000  A mixture trains one machine at a time, on one matrix. On 4,500
                                   rows of kin40k its squared error is 0.030 ± 0.002 of the variance
                                   exactly, and 0.042 through landmarks.
==========================  =====  =================================================================
"""

EXACT_ROWS = 3000
EXACT_ROWS_OF_ONE_MACHINE = 2 * EXACT_ROWS
