"""Kernels with parameters that are learned: Gaussian, ARD, ARD polynomial, or one's own."""

from kernlearn.families.parametric.ard_polynomial import ARDPolynomial
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.families.parametric.gaussian import ARD, RBF

__all__ = [
    "ARD",
    "PARAMETRIC_KERNELS",
    "RBF",
    "ARDPolynomial",
    "ParametricKernel",
    "parametric_kernel",
]

PARAMETRIC_KERNELS: dict[str, type[ParametricKernel]] = {
    "rbf": RBF,
    "ard": ARD,
    "ard_polynomial": ARDPolynomial,
}


def parametric_kernel(kernel: str | ParametricKernel) -> ParametricKernel:
    """Return the family of that name, or the family itself.

    Parameters
    ----------
    kernel : str or ParametricKernel
        A name among ``PARAMETRIC_KERNELS``, or a family.

    Returns
    -------
    ParametricKernel
        The family.

    Examples
    --------
    >>> from kernlearn.families.parametric import parametric_kernel
    >>> parametric_kernel("ard")
    ARD()
    """
    if isinstance(kernel, ParametricKernel):
        return kernel
    if isinstance(kernel, str) and kernel in PARAMETRIC_KERNELS:
        return PARAMETRIC_KERNELS[kernel]()
    raise ValueError(
        f"expected kernel to be one of {', '.join(PARAMETRIC_KERNELS)} or a ParametricKernel, got "
        f"{kernel!r}; derive your own from kernlearn.families.parametric.ParametricKernel"
    )
