"""Candidates of :class:`~kernlearn.KernelClassifier` and :class:`~kernlearn.KernelRegressor`."""
