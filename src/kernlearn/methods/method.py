"""A way of learning from a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernlearn.methods.metrics import Metric

__all__ = ["Method", "MethodError", "Plan", "Setting"]


class MethodError(ValueError):
    """A method cannot be used on this table; the message says why and what to use."""


@dataclass(frozen=True)
class Setting:
    """What a method is told of its task.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    seed : int
        For whatever it draws at random.
    spread : float
        Standard deviation of the target for regression: C and ε are in its units. Else 1.
    n_rows : int or None
        How many rows it is given; None before that is known.
    views : tuple of str
        Names of the views, if the columns are grouped.
    kernels : tuple
        Kernels over row numbers, if matrices are given instead of columns.
    classes : ndarray or None
        All classes of the table, sorted; None for regression.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    metric : Metric or None
        What models are judged and tuned by; None for their own score.
    """

    task: str
    seed: int
    spread: float = 1.0
    n_rows: int | None = None
    views: tuple[str, ...] = ()
    kernels: tuple[Any, ...] = ()
    classes: Any = None
    class_weight: Any = None
    metric: Metric | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """The steps that follow the preparation of the columns, and what is left to cross-validate."""

    steps: list[tuple[str, Any]]
    grid: Mapping[str, list[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        What a user types.
    title : str
        What a user reads.
    plan : callable
        From a setting to a plan.
    tasks : tuple of str
        What it can do.
    max_rows, max_columns : int
        What it is given at most: a sample of more rows, and no table of more (prepared) columns.
        A million where a method learns through landmarks; else so many rows take about a minute
        for two classes or regression on two ARM cores, by `kernlearn.speed.measure` in seconds of
        the processor, of one core, for 10 columns; what was measured stands beside the number.
    takes_kernels : bool
        Whether it can combine views and matrices.
    prepares : bool
        Whether it scales and encodes the columns itself.
    tuning_rows : int
        How many of its rows parameters are cross-validated on at most; the fit has them all.
    titles : mapping
        Its name in words by task, where it differs.
    """

    name: str
    title: str
    plan: Callable[[Setting], Plan]
    tasks: tuple[str, ...] = ("classification", "regression")
    max_rows: int = 2000
    max_columns: int = 100_000
    takes_kernels: bool = False
    prepares: bool = False
    tuning_rows: int = 2500
    titles: Mapping[str, str] = field(default_factory=dict)

    def title_for(self, task: str) -> str:
        """What a user reads."""
        return self.titles.get(task, self.title)

    def check(self, setting: Setting) -> None:
        """Refuse what the method cannot do."""
        if setting.task not in self.tasks:
            raise MethodError(
                f"method {self.name} does {' and '.join(self.tasks)}, got a task of "
                f"{setting.task}; choose another --method, or mkl"
            )
        if (setting.views or setting.kernels) and not self.takes_kernels:
            given = "--views" if setting.views else "--kernel-matrix"
            raise MethodError(
                f"expected method mkl with {given}, which combines kernels, got {self.name}; pass "
                "--method mkl"
            )
