"""Public check suites for objects that users write themselves."""

from kernlearn.testing.hyperkernel_laws import check_hyperkernel
from kernlearn.testing.kernel_laws import check_kernel
from kernlearn.testing.parametric_laws import check_parametric_kernel
from kernlearn.testing.quality_laws import check_quality

__all__ = ["check_hyperkernel", "check_kernel", "check_parametric_kernel", "check_quality"]
