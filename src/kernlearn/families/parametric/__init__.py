"""Families of kernels whose parameters are learned, by the names that estimators take.

``Gaussian(gamma)`` of :mod:`kernlearn.kernels` is one kernel. `GaussianFamily`, or ``"rbf"``, holds
all of them, and γ is learned; `ARDGaussianFamily`, or ``"ard"``, holds all
``ARDGaussian(gammas)``; `SubstitutionFamily`, or ``"substitution"``, holds all matrices of
similarities of letters. The names in `PARAMETRIC_KERNELS` are all that there are.
"""

from kernlearn.families.parametric.ard_polynomial import ARDPolynomialFamily
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.families.parametric.gaussian import ARDGaussianFamily, GaussianFamily
from kernlearn.families.parametric.substitution import SubstitutionFamily

__all__ = [
    "PARAMETRIC_KERNELS",
    "ARDGaussianFamily",
    "ARDPolynomialFamily",
    "GaussianFamily",
    "ParametricKernel",
    "SubstitutionFamily",
    "parametric_kernel",
]

#: Every family of kernels with learned parameters, by the name that estimators take.
PARAMETRIC_KERNELS: dict[str, type[ParametricKernel]] = {
    "rbf": GaussianFamily,
    "ard": ARDGaussianFamily,
    "ard_polynomial": ARDPolynomialFamily,
    "substitution": SubstitutionFamily,
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
    ARDGaussianFamily()
    """
    if isinstance(kernel, ParametricKernel):
        return kernel
    if isinstance(kernel, str) and kernel in PARAMETRIC_KERNELS:
        return PARAMETRIC_KERNELS[kernel]()
    raise ValueError(
        f"expected kernel to be one of {', '.join(PARAMETRIC_KERNELS)} or a ParametricKernel, got "
        f"{kernel!r}; derive your own from kernlearn.families.parametric.ParametricKernel"
    )
