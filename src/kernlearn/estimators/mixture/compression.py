r"""One expansion on few rows in place of a mixture.

The mixture is a known function, which a machine of few points learns from its values at rows that
are nearly those of the table: some cells of every row are exchanged with those of a near row, as in
the compression of ensembles by Buciluă, Caruana and Niculescu-Mizil (2006). Training rows
themselves would teach the labels that members have memorised.

Whether it may take the place of the mixture is decided on rows that neither has seen: members are
trained on two thirds of the rows and compressed, and both predict the last third, three times in
turn. Neither the loss nor the share of wrong labels may grow by more than a tenth of its standard
error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.linalg import LinAlgError, solve
from scipy.spatial.distance import cdist
from scipy.special import softmax

from kernlearn.estimators.held_out.groups import codes_by_first_row
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.options import CompressionOptions
from kernlearn.estimators.mixture.prediction.function import MixtureFunction
from kernlearn.estimators.mixture.preparation.table import NumericRows
from kernlearn.kernels import Gaussian, Laplacian, Matern, Stretched
from kernlearn.quality.predictive import Link, PredictiveLoss
from kernlearn.typing import Array, Indices, Json

# Added to every ridge, so that points that are nearly the same do no harm.
_LEAST_RIDGE = 1e-9

Tables = Mapping[str, NumericRows]


@dataclass(frozen=True)
class LossChange:
    """Growth of the held-out loss by a compression, in standard errors of the mixture's loss."""

    place: int  # the member whose kernel the compression has
    size: int  # its number of points
    ridge: float  # its ridge
    loss: float  # the growth of the mean loss
    error: float  # the standard error of that growth
    # Growth of the share of wrong labels, expected by the probabilities of the mixture, in standard
    # errors of that share.
    wrong: float

    @property
    def largest(self) -> float:
        """The growth of the loss, with its standard error on top, or that of wrong labels."""
        return max(self.loss + self.error, self.wrong)

    def facts(self) -> Json:
        """The facts that the estimator reports."""
        named = {"loss": self.loss, "error": self.error, "wrong": self.wrong}
        return {"n_points": self.size, **named}


@dataclass(frozen=True, eq=False)
class Student:
    """The least-squares problem of a member's kernel: the values of the mixture at many rows."""

    machine: KernelMachine  # the member
    points: Array  # points that the machine may use, of shape (m, p)
    gram: Array  # kernel values with them and ones, times each other, of shape (m + 1, m + 1)
    moments: Array  # the same times the values of the mixture, of shape (m + 1, k)
    n_rows: int  # number of rows

    @classmethod
    def of(
        cls, machine: KernelMachine, points: Array, rows: Array, values: Array, most: int
    ) -> Student:
        """The problem of rows of the member's table, and of values of the mixture there."""
        K = _with_ones(machine.kernel(rows, points))
        gram, moments = K.T @ K, K.T @ values
        order = forward_selection(gram, moments, min(len(points), most))
        chosen = np.append(order, len(points))
        return cls(machine, points[order], gram[np.ix_(chosen, chosen)], moments[chosen], len(rows))

    def solved(self, size: int, ridge: float) -> Array:
        """Coefficients of the first points, and the intercept, of shape (size + 1, k)."""
        chosen = np.append(np.arange(size), len(self.points))
        penalty = np.zeros((size + 1, size + 1))
        penalty[:size, :size] = ridge * self.n_rows / size * self.machine.kernel(self.points[:size])
        penalty[np.diag_indices(size)] += _LEAST_RIDGE * self.n_rows
        gram = self.gram[np.ix_(chosen, chosen)] + penalty
        return np.asarray(solve(gram, self.moments[chosen], assume_a="pos"))


def compressed(
    members: Members,
    origins_of: Callable[[str], Indices],
    loss_of: Callable[[Indices], PredictiveLoss],
    link: Link | None,
    random_state: np.random.RandomState,
    options: CompressionOptions,
) -> tuple[Members | None, LossChange | None]:
    """The members as one machine, and its change of the loss; no members if it loses too much.

    `loss_of` is the loss of some of the rows by which the mixture was judged. Only kernels that
    are functions of distances are tried; the change is None if no member has one.
    """
    changes = _changes(members, origins_of, loss_of, link, random_state, options)
    if not changes:
        return None, None
    for size in sorted({change.size for change in changes}):
        best = min((one for one in changes if one.size == size), key=lambda one: one.largest)
        if best.largest <= options.tolerance:
            break
    else:
        return None, min(changes, key=lambda one: one.largest)
    machine = members.machines[best.place]
    all_rows = np.arange(len(members.Y))
    (student,) = _students(
        members, [best.place], members.machines, all_rows, origins_of, random_state, options
    )
    *coef, intercept = student.solved(best.size, best.ridge)
    points = student.points[: best.size]
    one = KernelMachine(
        machine.table,
        machine.kernel,
        machine.lam,
        points,
        np.array(coef),
        intercept,
        machine.has_margin,
        link,
    )
    title = f"{members.titles[best.place]}, compressed"
    tables = {machine.table: members.tables[machine.table]}
    return replace(members, machines=[one], factors=np.ones(1), tables=tables, titles=[title]), best


def _changes(
    members: Members,
    origins_of: Callable[[str], Indices],
    loss_of: Callable[[Indices], PredictiveLoss],
    link: Link | None,
    random_state: np.random.RandomState,
    options: CompressionOptions,
) -> list[LossChange]:
    """Changes of the loss by every kernel with every number of points, over all parts."""
    places = [place for place, machine in enumerate(members.machines) if _is_cheap(machine)]
    rows = random_state.permutation(len(members.Y))[: options.rows]
    parts = held_out_parts(rows, members.groups, options.parts)
    sizes = [size for size in options.sizes if size < len(rows) - max(map(len, parts))]
    if not places or not sizes:
        return []
    before: list[Array] = []
    after: dict[tuple[int, int, float], list[Array]] = {}
    for out in parts:
        others = np.setdiff1d(rows, out)
        machines = [members.trained_again(machine, others) for machine in members.machines]
        students = _students(members, places, machines, others, origins_of, random_state, options)
        new = {name: table[out] for name, table in members.tables.items()}
        before.append(MixtureFunction.of(machines, members.factors)(new))
        for place, student in zip(places, students, strict=True):
            K = _with_ones(student.machine.kernel(new[student.machine.table], student.points))
            for size, ridge in product(sizes, options.ridges):
                values = _predicted(student, K, size, ridge)
                values = values if link is None else link(values)
                after.setdefault((place, size, ridge), []).append(values)
    loss = loss_of(np.concatenate(parts))
    judged = JudgedValues(loss, np.concatenate(before))
    return [judged.change(*which, np.concatenate(values)) for which, values in after.items()]


def held_out_parts(rows: Indices, groups: Indices | None, n_parts: int) -> list[Indices]:
    """Rows in a random order as parts that are held out in turn, each group in one part."""
    numbers = np.arange(len(rows))
    if groups is not None:
        numbers = codes_by_first_row(groups[rows])
    return [rows[numbers % n_parts == part] for part in range(n_parts)]


@dataclass(frozen=True, eq=False)
class JudgedValues:
    """Values of a mixture for held-out rows, to compare other values with by their loss."""

    loss: PredictiveLoss
    values: Array  # of shape (n, k)

    def change(self, place: int, size: int, ridge: float, values: Array) -> LossChange:
        """The change of the loss by other values; infinite if they are no numbers."""
        if not np.isfinite(values).all():
            return LossChange(place, size, ridge, np.inf, 0.0, 0.0)
        losses, n = self.loss.rows(self.values), len(values)
        growth = self.loss.rows(values) - losses
        unit = float(losses.std()) or 1.0
        grown = float(growth.mean()) * float(np.sqrt(n)) / unit
        wrong = self._wrong(values) if self.loss.is_of_labels else 0.0
        return LossChange(place, size, ridge, grown, float(growth.std()) / unit, wrong)

    def _wrong(self, values: Array) -> float:
        chances = softmax(self.loss.scale(self.values) * _of_classes(self.values), axis=1)
        named = np.take_along_axis(chances, _of_classes(values).argmax(axis=1)[:, None], axis=1)
        n = len(values)
        share = (float(self.loss.wrong(self.values).sum()) + 1.0) / (n + 2.0)
        lost = float((chances.max(axis=1) - named[:, 0]).mean())
        return lost / float(np.sqrt(share * (1.0 - share) / n))


def _of_classes(values: Array) -> Array:
    """A column for each class, also for two."""
    return values if values.shape[1] > 1 else values * np.array([-0.5, 0.5])


def _students(
    members: Members,
    places: list[int],
    machines: list[KernelMachine],
    rows: Indices,
    origins_of: Callable[[str], Indices],
    random_state: np.random.RandomState,
    options: CompressionOptions,
) -> list[Student]:
    """The problems of some members, with points drawn from `rows`."""
    tables = {name: table[rows] for name, table in members.tables.items()}
    near = exchanged_rows(tables, origins_of, random_state, options)
    values = MixtureFunction.of(machines, members.factors)(near)
    return [
        Student.of(one, tables[one.table], near[one.table], values, options.sizes[-1])
        for one in (machines[place] for place in places)
    ]


def forward_selection(gram: Array, moments: Array, size: int) -> Indices:
    """The columns of a least-squares problem in the order in which they explain most.

    The last column of the Gram matrix, the ones, is in from the beginning.
    """
    left = gram.diagonal() * (1.0 + _LEAST_RIDGE)
    factor = np.zeros((size + 1, len(gram)))
    rest = moments.copy()
    chosen = np.zeros(size + 1, dtype=np.intp)
    for step in range(size + 1):
        gain = (rest**2).sum(axis=1) / np.maximum(left, _LEAST_RIDGE * gram.diagonal())
        gain[chosen[:step]] = -1.0
        pivot = len(gram) - 1 if step == 0 else int(gain[:-1].argmax())
        chosen[step] = pivot
        root = np.sqrt(max(left[pivot], _LEAST_RIDGE * gram[pivot, pivot]))
        factor[step] = (gram[pivot] - factor[:step, pivot] @ factor[:step]) / root
        left -= factor[step] ** 2
        rest -= np.outer(factor[step], rest[pivot] / root)
    return chosen[1:]


def exchanged_rows(
    tables: Tables,
    origins_of: Callable[[str], Indices],
    random_state: np.random.RandomState,
    options: CompressionOptions,
) -> dict[str, Array]:
    """Copies of rows, some cells of which are those of a near row, the same ones in all tables.

    `origins_of` returns the user's column for each column of a table.
    """
    first = next(iter(tables.values()))
    n = len(first)
    distances = cdist(first, first)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, : min(options.neighbours, n - 1)]
    found: dict[str, list[Array]] = {name: [] for name in tables}
    origins = {name: origins_of(name) for name in tables}
    n_columns = max(int(one.max()) for one in origins.values()) + 1
    for _ in range(options.copies):
        other = nearest[np.arange(n), random_state.randint(0, nearest.shape[1], n)]
        is_other = random_state.uniform(size=(n, n_columns)) < options.exchanged
        for name, table in tables.items():
            found[name].append(np.where(is_other[:, origins[name]], table[other], table))
    return {name: np.vstack(copies) for name, copies in found.items()}


def _predicted(student: Student, K: Array, size: int, ridge: float) -> Array:
    """Values of a student for new rows, with the kernel values K, and ones, of all points."""
    try:
        coef = student.solved(size, ridge)
    except LinAlgError:
        return np.full((len(K), student.moments.shape[1]), np.inf)
    return np.asarray(K[:, :size] @ coef[:-1] + coef[-1])


def _with_ones(K: Array) -> Array:
    return np.column_stack([K, np.ones(len(K))])


def _is_cheap(machine: KernelMachine) -> bool:
    """Whether the kernel is a function of distances, and the points are dense rows."""
    kernel = machine.kernel
    inner = kernel.kernel if isinstance(kernel, Stretched) else kernel
    return isinstance(machine.points, np.ndarray) and isinstance(
        inner, Gaussian | Laplacian | Matern
    )
