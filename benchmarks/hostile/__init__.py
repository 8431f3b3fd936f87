"""Hostile problems, fits and files, made from seeds and judged one by one.

``weights`` are problems for :func:`kernlearn.learn_weights`, ``fits`` are estimators on badly
scaled, duplicated and degenerate data, ``files`` are tables, matrices and models with damaged
contents. Judges share no code with the solvers.
"""
