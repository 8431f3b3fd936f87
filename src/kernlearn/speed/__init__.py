"""Time of a fit on this machine, its growth with the rows, and the rows that a minute allows."""
