"""Estimators that take counts with exposures, and grades with groups, as one array of targets.

The targets of a table are split, sampled and dealt out into folds as one array. These estimators
take it apart.
"""

from __future__ import annotations

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import PoissonRegressor, RidgeCV

from kernlearn.estimators import KernelRegressor
from kernlearn.methods.view_mkl import _ViewBanks
from kernlearn.ranking import MKLRanker
from kernlearn.typing import PandasFrame, Rows, Targets


class CountKernelRegressor(KernelRegressor):
    """:class:`kernlearn.KernelRegressor` of counts; predictions are of exposure one."""

    def fit(self, X: PandasFrame, y: Targets, *, groups: Rows = None) -> CountKernelRegressor:  # type: ignore[override]
        """Learn from the fields "count" and "exposure" of y."""
        super().fit(X, y["count"], groups=groups, exposure=y["exposure"])
        return self


class _OfRates:
    """Mixin that fits a regressor of numbers to rates, weighted by their exposures."""

    def fit(self, X: PandasFrame, y: Targets) -> _OfRates:
        """Learn from the fields "count" and "exposure" of y."""
        rates = y["count"] / y["exposure"]
        super().fit(X, rates, sample_weight=y["exposure"])  # type: ignore[misc]
        return self


class RatePoissonRegressor(_OfRates, PoissonRegressor):  # type: ignore[misc]  # without types
    """Poisson regression of rates."""


class RateBoostingRegressor(_OfRates, HistGradientBoostingRegressor):  # type: ignore[misc]
    """Gradient boosting of rates."""


class OneRateForAll(_OfRates, DummyRegressor):  # type: ignore[misc]  # without types
    """The rate of all rows together."""


class _OfGrades:
    """Mixin that fits a regressor of numbers to grades, whatever their groups."""

    def fit(self, X: PandasFrame, y: Targets) -> _OfGrades:
        """Learn from the field "grade" of y."""
        super().fit(X, y["grade"])  # type: ignore[misc]
        return self


class GradeKernelRegressor(KernelRegressor):
    """:class:`kernlearn.KernelRegressor` of grades; rows of one group are held out together."""

    def fit(self, X: PandasFrame, y: Targets, *, groups: Rows = None) -> GradeKernelRegressor:  # type: ignore[override]
        """Learn from the field "grade" of y."""
        super().fit(X, y["grade"], groups=groups)
        return self


class GradeRidge(_OfGrades, RidgeCV):  # type: ignore[misc]  # without types
    """Ridge regression of grades."""


class GradeBoostingRegressor(_OfGrades, HistGradientBoostingRegressor):  # type: ignore[misc]
    """Gradient boosting of grades."""


class OneGradeForAll(_OfGrades, DummyRegressor):  # type: ignore[misc]  # without types
    """The mean grade of all rows."""


class GroupRanker(MKLRanker):
    """:class:`kernlearn.ranking.MKLRanker` within the groups of the targets."""

    def fit(self, X: PandasFrame, y: Targets) -> GroupRanker:  # type: ignore[override]
        """Learn from the fields "grade" and "group" of y."""
        super().fit(X, y["grade"], groups=np.asarray(y["group"]))
        return self


class ViewGroupRanker(_ViewBanks, GroupRanker):
    """:class:`GroupRanker` with a default bank of kernels for every view."""
