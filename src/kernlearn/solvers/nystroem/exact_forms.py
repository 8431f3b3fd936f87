"""The forms aᵀKᵢa of the exact kernels, in blocks of all n² values, and the bound they give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn._device import beside, to_host
from kernlearn.families.weights import positive_weights
from kernlearn.gram.rows import reduce_rows
from kernlearn.kernels import Kernel
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.certificate import lower_bound
from kernlearn.solvers.core.cutting_planes import coefficient_plane
from kernlearn.typing import Array, Rows


def exact_forms(source: Rows, kernels: Sequence[Kernel], coefs: Array) -> Array:
    """The sums over k of aₖᵀKᵢaₖ, of shape (m,), for coefficients of shape (k, n).

    Every kernel is evaluated on all pairs of rows, each block once.
    """

    def block_forms(block: Rows, rows: slice) -> Array:
        own, others = coefs[:, rows].T, beside(coefs.T, block)
        images = [to_host(k(block, source) @ others) for k in kernels]
        return np.array([float((own * image).sum()) for image in images])

    return reduce_rows(source, block_forms, np.add, len(source))


def exact_lower_bound(
    source: Rows,  # the n rows
    kernels: Sequence[Kernel],  # the exact kernels
    machines: Sequence[Machine],  # which the coefficients are of
    coefs: Array,  # (k, n): feasible coefficients
    # The weights satisfy Σ wᵢrᵢ = total
    normaliser: Array,
    total: float,
) -> float:
    r"""A bound that no positive weights of the exact kernels can beat.

    :math:`\sum_k\ell(a_k) - \tfrac12\max_w\sum_i w_i\sum_k a_k^\top K_i a_k`, from the coefficients
    of a solution through landmarks: valid whatever these are, and tight where the factors are.
    """
    traces = np.array([float(kernel.diag(to_host(source)).sum()) for kernel in kernels])
    trace = total * float((traces[normaliser > 0] / normaliser[normaliser > 0]).max())
    forms = exact_forms(source, kernels, coefs)
    plane = coefficient_plane(machines, list(coefs), -0.5 * forms, trace)
    return lower_bound(plane, positive_weights(normaliser, total))
