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
    """What methods try, and when they use landmarks."""

    candidates: Sequence[str] | str = "auto"
    """Candidates of the mixture of kernel machines."""
    effort: float | str = "default"
    """How much the mixture tries."""
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
    """What a method needs to know of its task."""

    task: str
    """Classification, regression, survival, counts, outcomes or ranking."""
    seed: int
    """For whatever it draws at random."""
    spread: float = 1.0
    """Standard deviation of the target for regression: C and ε are in its units. Else 1."""
    n_rows: int | None = None
    """How many rows it is given; None before that is known."""
    views: tuple[str, ...] = ()
    """Names of the views, if the columns are grouped."""
    kernels: tuple[Precomputed, ...] = ()
    """Kernels over row numbers, if matrices are given instead of columns."""
    classes: Targets | None = None
    """All classes of the table, sorted; None for numbers and times."""
    outcomes: tuple[str, ...] = ()
    """Names of several targets."""
    times: Array | None = None
    """At which survival is asked for, where targets are times to an event."""
    class_weight: ClassWeight = None
    """Weights of the classes by label, or "balanced"."""
    grades: tuple[Any, ...] = ()
    """The classes from the lowest grade to the highest, where they have an order."""
    metric: Metric | None = None
    """What models are judged and tuned by; None for their own score."""
    options: MethodOptions = METHOD_OPTIONS
    """What methods try."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The place of every class among the grades, where they have an order."""
        classes = [] if self.classes is None else self.classes.tolist()
        present = [label for label in self.grades if label in classes]
        return tuple(present.index(label) for label in classes) if present else ()

    @property
    def classes_or_times(self) -> Targets | None:
        """What predictions are about: the classes, or times of survival; None for numbers."""
        return self.classes if self.times is None else self.times

    @property
    def judge(self) -> Metric:
        """The metric, or the task's own where none was asked for."""
        return self.metric or Metric(DEFAULTS[self.task])


@dataclass(frozen=True, eq=False)
class Plan:
    """The steps that follow the preparation of the columns, and what is left to cross-validate."""

    steps: list[tuple[str, BaseEstimator]]
    grid: Mapping[str, list[object]] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """One entry of the registry."""

    name: str
    """What a user types."""
    title: str
    """What a user reads."""
    plan: Callable[[Setting], Plan]
    """From a setting to the steps of a pipeline."""
    tasks: tuple[str, ...] = ("classification", "regression")
    """What it can do."""
    max_rows: int = 2000
    """Rows that it is given at most, a sample of more: a million where it learns through landmarks;
    else those that take about a minute, in seconds of one ARM core, for 10 columns."""
    max_columns: int = 100_000
    """Prepared columns that a table may have at most."""
    takes_kernels: bool = False
    """Whether it can combine views and matrices."""
    prepares: bool = False
    """Whether it scales and encodes the columns itself."""
    tuning_rows: int = 2500
    """How many of its rows parameters are cross-validated on at most; the fit has them all."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Its name in words by task, where it differs."""

    def title_for(self, task: str) -> str:
        """What a user reads."""
        return self.titles.get(task, self.title)

    def check(self, setting: Setting) -> None:
        """Refuse what the method cannot do."""
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
