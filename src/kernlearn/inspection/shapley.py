"""Shapley values of each column of a prediction, exact if the kernel allows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count
from kernlearn.estimators.inputs.source_checks import are_sources, as_sources, with_name
from kernlearn.estimators.inputs.sources import KernelRows
from kernlearn.estimators.mixture.input_checks import checked_rows
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.estimators.mixture.preparation.table import Preparation
from kernlearn.inspection._column_factors import ColumnFactors
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import as_pandas_frame, check_table, is_frame
from kernlearn.quality.discriminants import Discriminants
from kernlearn.quality.logarithms import Limits
from kernlearn.typing import Array, Indices, Mask, RandomState, Rows, Targets

# A remainder below this share of the values is rounding.
_ROUNDING = 1e-9


def shapley_values(
    model: BaseEstimator,
    X: Rows,
    background: Rows,
    *,
    n_permutations: int = 32,
    random_state: RandomState = 0,
) -> dict[str, Targets]:
    r"""Share a prediction out among the columns, by Shapley's rule.

    The value of a set S of columns is the interventional one: the mean output with the cells of S
    from the row x, and all others from the background rows b,

    .. math:: v(S) = \frac1B \sum_b f(x_S, b_{-S}), \qquad
              \sum_j \varphi_j(x) = f(x) - \frac1B \sum_b f(b)

    The output f is ``predict`` for numbers, ``decision_function`` for classes.

    Parameters
    ----------
    model : estimator or ModelBundle
        Fitted, with ``predict``; or what ``kernlearn.load`` makes of a file of ``kernlearn fit``.
    X : array-like, data frame of shape (n, d), dict or Sources
        The rows to explain. Of several sources, whole sources take the place of the columns.
    background : array-like, data frame of shape (B, d), dict or Sources
        What the rows are compared with, 50 training rows for example. Time grows with B.
    n_permutations : int, default=32
        Pairs of a random order of the columns and its reverse, for what has no closed form.
    random_state : int, RandomState or None, default=0
        For these orders.

    Returns
    -------
    dict
        "column" (d names, of columns or of sources), "value" of shape (n, d), or (n, d, n_classes)
        for more than two classes, "base" (the mean output of the background), "output" (the output
        for X), "standard_error" of the shape of "value" (zero where it is exact) and "exact"
        (whether all of it is).

    See Also
    --------
    nearest_rows : The training rows that a prediction rests on.
    relevance : What held-out predictions lose without a column.

    Notes
    -----
    Linear, polynomial, Gaussian, Laplacian, ARD and ANOVA kernels, and sums of these, have a closed
    form: d²B operations for every pair of a row and a training row. All other parts of a model
    (Matérn and tree kernels, limits, scikit-learn's models) are sampled, with a standard error; the
    values add up exactly all the same. A Pipeline and several sources are sampled as a whole.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import LSSVMRegressor
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> model = LSSVMRegressor().fit(X, 2.0 * X[:, 0])
    >>> found = shapley_values(model, X[:5], X)
    >>> bool(found["exact"]), found["value"].shape
    (True, (5, 3))
    >>> np.allclose(found["value"].sum(axis=1), found["output"] - found["base"])
    True
    """
    n_permutations = check_count("n_permutations", n_permutations, usual=32)
    game = _Game.of(model, X, background)
    closed, is_complete = game.closed_part()
    n, d = game.n_rows, len(game.names)
    value = np.zeros((n, d, game.output.shape[1]))
    for factors, rows, others, unit in closed:
        value += factors.shapley(rows, others, d) * unit
    random = check_random_state(random_state)
    base, error = game.base.mean(axis=0), np.zeros_like(value)
    # Limits, and lines beyond the training rows, are in no closed form: a look whether they count.
    few = game.sampled(closed, 1, random)[0] if is_complete else value
    rounding = _ROUNDING * np.abs(game.output - base).max()
    missing = (game.output - base) - value.sum(axis=1)
    is_exact = is_complete and max(np.abs(few).max(), np.abs(missing).max()) <= rounding
    if not is_exact:
        sampled, error = game.sampled(closed, n_permutations, random)
        value += sampled
        # Not all background rows are met equally often: what is missing goes to all columns.
        value += ((game.output - base) - value.sum(axis=1))[:, None, :] / d
    flat = game.output.shape[1] == 1
    return {
        "column": np.array(game.names, dtype=object),
        "value": value[..., 0] if flat else value,
        "base": base[0] if flat else base,
        "output": game.output[:, 0] if flat else game.output,
        "standard_error": error[..., 0] if flat else error,
        "exact": np.bool_(is_exact),
    }


# A term in closed form, the prepared rows and background rows, and the unit of its outputs.
_Closed = list[tuple[ColumnFactors, Array, Array, Array]]


@dataclass(frozen=True, eq=False)
class _Game:
    """Rows to explain, background rows, and the model's output for both."""

    estimator: BaseEstimator
    X: Rows
    background: Rows
    names: list[str]
    output: Array
    base: Array
    function: Callable[[Rows], Array]

    @classmethod
    def of(cls, model: BaseEstimator, X: Rows, background: Rows) -> _Game:
        if hasattr(model, "sample_X"):  # of a file, which records how its table is read
            X, background, model = model.typed(X), model.typed(background), model.pipeline
            model = model[-1] if len(model) == 1 else model
        check_is_fitted(model)
        first, second = _explained(X, "X"), _explained(background, "background")
        names, others = _names(first), _names(second)
        if are_sources(first) != are_sources(second) or len(names) != len(others):
            what = "sources" if are_sources(first) else "columns"
            raise ValueError(
                f"shapley_values expected background rows of {len(names)} {what}, as X has, "
                f"got {len(others)}; pass rows of the same table"
            )
        method = "decision_function" if is_classifier(model) else "predict"
        if not hasattr(model, method):
            method = "predict_proba" if is_classifier(model) else method
        if not hasattr(model, method):
            raise ValueError(
                f"shapley_values expected a model with predict, got {type(model).__name__}; pass "
                "for example a fitted KernelRegressor"
            )

        def function(rows: Rows) -> Array:
            found: Array = np.asarray(getattr(model, method)(rows), dtype=float)
            return found.reshape(len(found), -1)

        return cls(model, first, second, names, function(first), function(second), function)

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    def closed_part(self) -> tuple[_Closed, bool]:
        """The terms with a closed form, and whether these are all."""
        estimator = self.estimator
        if isinstance(estimator, KernelMixture):
            return self._closed_members(estimator)
        kernel, coef = getattr(estimator, "kernel_", None), getattr(estimator, "dual_coef_", None)
        points = getattr(estimator, "support_vectors_", None)
        if not isinstance(kernel, Kernel) or not isinstance(points, np.ndarray) or coef is None:
            return [], False
        if is_frame(self.X) or are_sources(self.X):
            return [], False
        parts = Term("", kernel, points, np.asarray(coef, dtype=float).T).parts()
        known = np.asarray(self.X, dtype=float), np.asarray(self.background, dtype=float)
        found = [ColumnFactors.of(term, np.arange(points.shape[1])) for term in parts]
        unit = np.ones(self.output.shape[1])
        fits = np.shape(coef)[0] == len(unit)
        closed = [(one, *known, unit) for one in found if one is not None and fits]
        return closed, len(closed) == len(found)

    def _closed_members(self, estimator: KernelMixture) -> tuple[_Closed, bool]:
        preparation = estimator.preparation_
        # Counts are exponentials of what the members add up to.
        if not isinstance(preparation, Preparation) or getattr(estimator, "_counts", None):
            return [], False
        machines = estimator._members.machines
        unit = getattr(estimator, "_spread", np.ones(self.output.shape[1]))
        names = {machine.table for machine in machines}
        rows, others = (
            preparation.apply_all(checked_rows(estimator, table, reset=False), names)
            for table in (self.X, self.background)
        )
        closed: _Closed = []
        is_complete = True
        for machine, factor in zip(machines, estimator._members.factors, strict=True):
            link = machine.link
            is_linear = link is None or isinstance(link, Discriminants | Limits)
            if not is_linear or not isinstance(machine.points, np.ndarray):
                is_complete = False
                continue
            coef = factor * machine.coef
            coef = coef @ link.matrix if isinstance(link, Discriminants) else coef
            if coef.shape[1] != self.output.shape[1]:
                return [], False
            for term in Term(machine.table, machine.kernel, machine.points, coef).parts():
                found = ColumnFactors.of(term, preparation.origins_of(machine.table))
                if found is None:
                    is_complete = False
                else:
                    closed.append((found, rows[machine.table], others[machine.table], unit))
        return closed, is_complete

    def sampled(
        self, closed: _Closed, n_permutations: int, random: np.random.RandomState
    ) -> tuple[Array, Array]:
        """Shapley values of what the closed terms leave over, and their standard errors."""
        n, d, k = self.n_rows, len(self.names), self.output.shape[1]
        value, error = np.zeros((n, d, k)), np.zeros((n, d, k))
        for row in range(n):
            orders = [random.permutation(d) for _ in range(n_permutations)]
            orders = [each for order in orders for each in (order, order[::-1])]
            chosen = np.repeat(np.resize(random.permutation(len(self.base)), n_permutations), 2)
            values = self._remainder_along(closed, row, np.array(orders), chosen)
            steps = np.empty((len(orders), d, k))
            for place, order in enumerate(orders):
                steps[place, order] = np.diff(values[place], axis=0)
            pairs = steps.reshape(n_permutations, 2, d, k).mean(axis=1)
            value[row] = pairs.mean(axis=0)
            if n_permutations > 1:
                error[row] = pairs.std(axis=0, ddof=1) / np.sqrt(n_permutations)
        return value, error

    def _remainder_along(
        self, closed: _Closed, row: int, orders: Indices, chosen: Indices
    ) -> Array:
        """The remainder as the cells of a row come in, in each order, of shape (p, d + 1, k)."""
        n_orders, d = orders.shape
        ranks = np.argsort(orders, axis=1)
        # In step s, the columns of the first s places of the order come from the row.
        is_own = ranks[:, None, :] < np.arange(d + 1)[None, :, None]
        mask = is_own.reshape(-1, d)
        others = np.repeat(chosen, d + 1)
        values = self.function(_mixed_rows(self.X, row, self.background, others, mask))
        for factors, rows, background, unit in closed:
            origins = factors.origins
            mixed = np.where(mask[:, origins], rows[row], background[others])
            values = values - factors.values(mixed) * unit
        return values.reshape(n_orders, d + 1, -1)


def _explained(rows: Rows, name: str) -> Rows:
    rows = with_name(rows)
    return as_sources(rows) if are_sources(rows) else as_pandas_frame(check_table(rows, name))


def _names(rows: Rows) -> list[str]:
    """Of the columns, or of the sources."""
    if are_sources(rows):
        return list(rows.names)
    columns = rows.columns if is_frame(rows) else map("x{}".format, range(rows.shape[1]))
    return [str(name) for name in columns]


def _mixed_rows(X: Rows, row: int, background: Rows, others: Indices, mask: Mask) -> Rows:
    """Rows with the cells of one row where `mask` is true, and of background rows elsewhere."""
    if are_sources(X):
        return {
            name: _mixed_source(X[name], row, background[name], others, mask[:, j])
            for j, name in enumerate(X.names)
        }
    if not is_frame(X):
        return np.where(mask, X[row], background[others])
    made = background.iloc[others].reset_index(drop=True)
    own = X.iloc[[row] * len(others)].reset_index(drop=True)
    for j in range(X.shape[1]):
        made.isetitem(j, own.iloc[:, j].where(mask[:, j], made.iloc[:, j]))
    return made


def _mixed_source(X: Rows, row: int, background: Rows, others: Indices, is_own: Mask) -> Rows:
    """One source of such rows."""
    if isinstance(X, KernelRows):
        return KernelRows(X.K, np.where(is_own, X.rows[row], background.rows[others]))
    if issparse(X):
        both = vstack([X[[row]], background], format="csr")
        return both[np.where(is_own, 0, others + 1)]
    if len(X.shape) == 1:
        return np.where(is_own, X[row : row + 1], background[others])
    mask = np.broadcast_to(is_own[:, None], (len(others), X.shape[1]))
    return _mixed_rows(X, row, background, others, mask)
