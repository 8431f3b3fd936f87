"""A way of learning from a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.estimators.inputs.row_limits import EXACT_ROWS
from kernlearn.kernels import Precomputed
from kernlearn.methods.errors import MethodError
from kernlearn.methods.metrics import DEFAULTS, Metric
from kernlearn.typing import Array, Targets

ClassWeight = dict[Any, float] | str | None


@dataclass(frozen=True)
class MethodOptions:
    """Parameters that methods try, and the limit above which they use landmarks."""

    candidates: Sequence[str] | str = "auto"
    """Candidates of the mixture of kernel machines."""
    effort: float | str = "default"
    """Effort of the mixture, a name or a multiple of the default's time."""
    svm_C: Sequence[float] = tuple(np.logspace(-1, 3, 5).tolist())
    """C of the tuned SVM; in regression, in units of the target."""
    svm_gamma: Sequence[float] = tuple(np.logspace(-4, 0, 5).tolist())
    """γ of the tuned SVM, besides "scale"."""
    logistic_C: Sequence[float] = (0.01, 0.1, 1.0, 10.0, 100.0)
    """C of logistic regression."""
    poisson_alphas: Sequence[float] = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)
    """Penalties of Poisson regression."""
    ridge_alphas: Sequence[float] = tuple(np.logspace(-3, 4, 15).tolist())
    """Penalties of ridge regression."""
    exact_rows: int = EXACT_ROWS
    """Rows up to which kernel matrices are exact, and above which there are landmarks."""


METHOD_OPTIONS = MethodOptions()


@dataclass(frozen=True)
class Setting:
    """Properties of a task that methods depend on."""

    task: str
    """Classification, regression, survival, counts, outcomes or ranking."""
    seed: int
    """Seed of all random draws."""
    spread: float = 1.0
    """Standard deviation of the target for regression: C and ε are in its units. Else 1."""
    n_rows: int | None = None
    """Number of rows to fit to; None before the number is known."""
    views: tuple[str, ...] = ()
    """Names of the views, if the columns are grouped."""
    kernels: tuple[Precomputed, ...] = ()
    """Kernels over row numbers, if matrices are given instead of columns."""
    classes: Targets | None = None
    """All classes of the table, sorted; None for numbers and times."""
    outcomes: tuple[str, ...] = ()
    """Names of several targets."""
    times: Array | None = None
    """Times at which survival is predicted, if targets are times to an event."""
    class_weight: ClassWeight = None
    """Weights of the classes by label, or "balanced"."""
    grades: tuple[Any, ...] = ()
    """The classes from the lowest grade to the highest, where they have an order."""
    metric: Metric | None = None
    """Metric that judges and tunes models; None for their own score."""
    options: MethodOptions = METHOD_OPTIONS
    """Options of the methods."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The place of every class among the grades, where they have an order."""
        classes = [] if self.classes is None else self.classes.tolist()
        present = [label for label in self.grades if label in classes]
        return tuple(present.index(label) for label in classes) if present else ()

    @property
    def classes_or_times(self) -> Targets | None:
        """The classes, or the times at which survival is predicted; None for numbers."""
        return self.classes if self.times is None else self.times

    @property
    def judge(self) -> Metric:
        """The metric, by default that of the task."""
        return self.metric or Metric(DEFAULTS[self.task])


@dataclass(frozen=True, eq=False)
class Plan:
    """The steps after the preparation of the columns, and the parameters to cross-validate."""

    steps: list[tuple[str, BaseEstimator]]
    grid: Mapping[str, list[object]] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """One entry of the registry."""

    name: str
    """Name on the command line."""
    title: str
    """Name in reports."""
    plan: Callable[[Setting], Plan]
    """Function from a setting to the steps of a pipeline."""
    tasks: tuple[str, ...] = ("classification", "regression")
    """Tasks that the method supports."""
    max_rows: int = 2000
    """Rows to fit to at most, else a sample: a million for methods with landmarks; for others as
    many as take about a minute on one ARM core with 10 columns."""
    max_columns: int = 100_000
    """Prepared columns that a table may have at most."""
    takes_kernels: bool = False
    """Whether the method can combine views and matrices."""
    prepares: bool = False
    """Whether the method scales and encodes the columns itself."""
    tuning_rows: int = 2500
    """Rows for cross-validating parameters, at most; the fit uses all rows."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles by task, for tasks whose title differs."""

    def title_for(self, task: str) -> str:
        """The title for a task."""
        return self.titles.get(task, self.title)

    def check(self, setting: Setting) -> None:
        """Refuse a task, views or matrices that the method cannot take."""
        if setting.task not in self.tasks:
            raise MethodError(
                f"method {self.name} does {' and '.join(self.tasks)}, got a task of "
                f"{setting.task}; choose --method kernel"
            )
        if (setting.views or setting.kernels) and not self.takes_kernels:
            given = "--views" if setting.views else "--kernel-matrix"
            raise MethodError(
                f"expected method mkl with {given}, which combines kernels, got {self.name}; pass "
                "--method mkl"
            )
