r"""The machine of all rows at a kernel that was learned through landmarks.

Landmarks blur: through them kernels come out wider, and λ larger, than a machine of all rows could
bear. λ and one factor of all θ are therefore chosen anew, by leave-one-out. Of several starts, such
as the learned scales and one bandwidth for all columns, the one with the smallest loss is kept.

With :math:`A = K + \lambda\,\mathrm{diag}(1/s)` for sample weights s,

.. math::

    P = A^{-1} - \frac{A^{-1}11^\top A^{-1}}{1^\top A^{-1}1}, \qquad \alpha = P y, \qquad
    y_i - f_{-i}(x_i) = \frac{\alpha_i}{P_{ii}} .

One factorisation :math:`A = LL^\top` gives all of it: the diagonal of :math:`A^{-1}` is the squared
lengths of the columns of :math:`L^{-1}`, so that with n³/3 operations for each of the two a λ costs
as much as a symmetric product of two n × n matrices. A is made again for every λ; there is never
more than one such matrix on the host, and two on a device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn._cluster import Chunked
from kernlearn._device import (
    Placed,
    add_to_diagonal,
    all_rows,
    beside,
    column_dots,
    empty_beside,
    eye_beside,
    lower_factor,
    solve_factored,
    solve_lower,
    to_host,
)
from kernlearn.gram.rows import reduce_rows
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import take_rows
from kernlearn.runtime.memory import available, matrices
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.typing import Array, DeviceArray, Rows

# Matrices of n × n that exist together, with what lies beside them.
_ON_HOST, _ON_DEVICE = 1.3, 2.2
# Steps in log₁₀ λ and log₂ of the factor of θ, in the order in which they are likely to help, each
# followed by the step back; and what is left of them once none of them helps.
_STEPS = ((-0.5, 0.0), (0.5, 0.0), (0.0, 1.0), (0.0, -1.0))
_SIZES = (1.0, 0.5)
# A start is dropped if its loss exceeds this multiple of the smallest one.
_HOPELESS = 1.5


@dataclass(frozen=True)
class RefitOptions:
    """How many rows and machines λ and the factor of θ are looked for with."""

    most_rows_on_host: int = 16_000  # a factorisation of these takes half a minute on two cores
    # Rows and machines of the samples that come first: 4000 rows are factorised in a few seconds on
    # the host, 16,000 in a tenth of one on a GPU
    samples_on_host: tuple[tuple[int, int], ...] = ((1500, 20), (5000, 4))
    samples_on_device: tuple[tuple[int, int], ...] = ((4000, 20), (16_000, 20))
    sample_ratio: float = (
        1.5  # all rows, as a multiple of a sample's, above which the sample comes first
    )
    most_on_all: int = 20  # machines on all rows where no sample came first
    # After a sample, machines on all rows that take half a minute together, or a quarter of one on
    # a GPU: the rows at which that is ten machines, and the least number of machines at any size
    rows_of_ten_on_host: tuple[int, int] = (3000, 1)
    rows_of_ten_on_device: tuple[int, int] = (35_000, 4)
    columns: int = 2048  # of the inverse, made together


REFIT = RefitOptions()


@dataclass(frozen=True, eq=False)
class ExactMachine:
    """An LS-SVM on all rows."""

    lam: float  # λ
    theta: Array  # (p,): θ
    dual_coef: Array  # (n, k): α
    intercept: Array  # (k,): b
    left_out: Array  # (n, k): residuals of every row by the machine trained without it
    loss: float  # Σ s times their squares


Trainer = Callable[[float, Array], ExactMachine]


def fits(source: Rows, options: RefitOptions = REFIT) -> bool:
    """Whether a matrix of all rows fits comfortably where they are worked on.

    Not on a cluster: there all rows are nowhere.
    """
    n = len(source)
    if isinstance(source, Chunked):
        return False
    free = source.place.free_bytes() if isinstance(source, Placed) else None
    if free is not None:
        return matrices(_ON_DEVICE, n) <= 0.9 * free
    there = available()
    enough = there is None or matrices(_ON_HOST, n) <= 0.5 * there
    return n <= options.most_rows_on_host and enough


def exact_refit(
    source: Rows,  # the n rows
    kernel_at: Callable[[Array], Kernel],  # the kernel at θ
    Y: Array,  # (n, k): targets
    weight: Array,  # (n,): the s
    # Λ and θ, or where to look for them: the most promising first
    starts: Sequence[tuple[float, Array]],
    chooses: bool,  # whether λ and the factor are looked for. If not, λ is that of the starts.
    stopping: StoppingControl,  # once it has run out, what was found so far is kept
    options: RefitOptions = REFIT,  # how much is tried
) -> ExactMachine:
    """Train on all rows; λ and a factor of θ by leave-one-out, first on a sample.

    Inputs are checked.
    """

    def at(rows: Rows, Y: Array, weight: Array) -> Trainer:
        return lambda lam, theta: exact_machine(
            rows, kernel_at(theta), Y, weight, lam, theta, options.columns
        )

    n, on_device = len(weight), isinstance(source, Placed)
    samples = [
        sample
        for sample in (options.samples_on_device if on_device else options.samples_on_host)
        if n > options.sample_ratio * sample[0] and (chooses or len(starts) > 1)
    ]
    for size, most in samples:
        some = np.sort(np.random.RandomState(0).choice(n, size, replace=False))
        few = at(take_rows(source, some), Y[some], weight[some])
        found = _best_of(few, starts, most if chooses else 1, stopping)
        starts = [(found.lam, found.theta)]
    most = options.most_on_all
    if samples:
        ten = options.rows_of_ten_on_device if on_device else options.rows_of_ten_on_host
        most = int(np.clip(10 * (ten[0] / n) ** 3, ten[1], most))
    return _best_of(at(source, Y, weight), starts, most if chooses else 1, stopping)


def _best_of(
    train: Trainer, starts: Sequence[tuple[float, Array]], max_steps: int, stopping: StoppingControl
) -> ExactMachine:
    """The machine of the smallest loss that steps from any of the starts lead to."""
    best = _lowest(train, train(*starts[0]), max_steps, stopping)
    for start in starts[1:]:
        if stopping.stopped is not None:
            break
        try:
            found = train(*start)
        except np.linalg.LinAlgError:
            continue
        if found.loss < _HOPELESS * best.loss:
            found = _lowest(train, found, max_steps, stopping)
        best = found if found.loss < best.loss else best
    return best


def _lowest(
    train: Trainer, best: ExactMachine, max_steps: int, stopping: StoppingControl
) -> ExactMachine:
    """Steps in λ and in θ while the loss falls and there are tries left, then shorter ones."""
    tried = 1
    for size in _SIZES:
        order = list(range(len(_STEPS)))
        while order and tried < max_steps and stopping.stopped is None:
            step = order.pop(0)
            of_lam, of_scale = (size * part for part in _STEPS[step])
            tried += 1
            try:
                found = train(best.lam * 10.0**of_lam, best.theta * 2.0**of_scale)
            except np.linalg.LinAlgError:
                continue
            if found.loss < best.loss:
                best = found
                # Continue in the same direction; the step back is known to be worse.
                order = [step, *(i for i in range(len(_STEPS)) if i // 2 != step // 2)]
    return best


def exact_machine(
    source: Rows, kernel: Kernel, Y: Array, weight: Array, lam: float, theta: Array, n_columns: int
) -> ExactMachine:
    """The least-squares machine on the kernel of all rows, and its leave-one-out values."""
    L = _factor(source, kernel, lam / weight)
    right = beside(np.column_stack([Y, np.ones(len(weight))]), L)
    solved = to_host(solve_factored(L, right))
    diagonal = _inverse_diagonal(L, n_columns)
    ones, total = solved[:, -1:], float(solved[:, -1].sum())
    intercept = solved[:, :-1].sum(axis=0) / total
    dual_coef = solved[:, :-1] - ones * intercept
    left_out = dual_coef / (diagonal[:, None] - ones**2 / total)
    loss = float(weight @ (left_out**2).sum(axis=1))
    return ExactMachine(lam, theta, dual_coef, intercept, left_out, loss)


def _factor(source: Rows, kernel: Kernel, ridge: Array) -> DeviceArray:
    """The lower Cholesky factor of K + diag(ridge)."""
    points, n = all_rows(source), len(ridge)
    A = empty_beside((n, n), points)

    def fill(block: Rows, rows: slice) -> int:
        A[rows, :] = kernel(block, points)
        return 1

    reduce_rows(source, fill, int.__add__, n)
    return lower_factor(add_to_diagonal(A, beside(ridge, A)))


def _inverse_diagonal(L: DeviceArray, n_columns: int) -> Array:
    """The diagonal of (LLᵀ)⁻¹: the squared lengths of the columns of L⁻¹."""
    n = L.shape[0]
    found = np.empty(n)
    for start in range(0, n, n_columns):
        some = slice(start, min(start + n_columns, n))
        identity = eye_beside(n - start, some.stop - start, L)
        columns = solve_lower(L[start:, start:], identity)
        found[some] = to_host(column_dots(columns, columns))
    return found
