"""Fitted models as files that predict without kernlearn, and kernels for other libraries."""

from kernlearn.export.gpytorch_kernel import to_gpytorch
from kernlearn.export.numpy_code import to_numpy_code
from kernlearn.export.onnx_file import to_onnx

__all__ = ["to_gpytorch", "to_numpy_code", "to_onnx"]
