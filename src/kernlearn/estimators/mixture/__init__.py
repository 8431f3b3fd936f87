"""KernelClassifier and KernelRegressor."""
