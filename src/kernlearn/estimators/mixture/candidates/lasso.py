r"""Learn which columns a linear function needs: the lasso, as a combination of kernels.

A combination of linear kernels of single columns, :math:`K(w) = \sum_r w_r\, x_r x_r^\top` with
:math:`w \ge 0`, whose weights are learned together with a machine of least squares,

.. math:: \min_{w \ge 0} \min_{\beta, b} \; \|y - X\beta - b\|^2
          + \lambda \sum_r \frac{\beta_r^2}{w_r} + \lambda \sum_r w_r ,

has its least value over w at :math:`w_r = |\beta_r|`, where the two penalties are
:math:`2 \lambda \sum_r |\beta_r|`. So the lasso's β at this λ is the machine of the learned kernel,
most columns have no weight, and the kernel is the linear one on columns that are stretched by
:math:`|\beta_r|^{1/2}`. With several targets :math:`w_r = \|\beta_r\|`, as in the multi-task lasso.

λ is found by the loss on the folds, each with weights of its own. If columns are many and few
of them matter, no kernel of all columns can learn as much from as few rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import enet_path

from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import Representation, ScaledColumns
from kernlearn.numerics.positions import complement
from kernlearn.numerics.rounding import first_least
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Array


@dataclass(frozen=True)
class LassoOptions:
    """Resolution of the path of λ."""

    smallest: float = (
        3e-3  # the smallest λ, relative to the one from which on no column has a weight
    )
    steps: int = 30  # how many λ there are
    # Tolerance of coefficients, relative to the explained part: about the noise of the folds.
    tol: float = 1e-3


_OPTIONS = LassoOptions()


class LassoColumns(ScaledColumns):
    """A prepared table with its columns stretched by the lasso."""

    @property
    def title(self) -> str:
        """The title of the table alone: the family's name implies the scales."""
        return Representation(self.table).title


def lasso_columns(
    problem: CandidateProblem, table: str, options: LassoOptions = _OPTIONS
) -> LassoColumns:
    """The columns of a table by their coefficients, learned on these rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If no column has a weight.
    """
    X, Y = problem.tables[table], problem.Y
    whole = CentredLasso(problem, table, options.tol)
    alphas = whole.largest * np.geomspace(1.0, options.smallest, options.steps)
    paths = []
    predictions = np.zeros((options.steps, *Y.shape))
    for fold in problem.folds:
        problem.stopping.check()
        others = CentredLasso(problem.rows(complement(len(problem), fold)), table, options.tol)
        path = others.path(alphas)
        predictions[:, fold] = others.predict(X[fold], path)
        paths.append(path)
    best = first_least(problem.loss.value(F) for F in predictions)
    scales = [_stretches(path[best]) for path in (whole.path(alphas[: best + 1]), *paths)]
    if not all(scale.any() for scale in scales):
        raise np.linalg.LinAlgError("no column has a weight")
    return LassoColumns(table, scales[0], tuple(scales[1:]))


class CentredLasso:
    """Rows and targets less their weighted means, times the roots of their weights."""

    def __init__(self, problem: CandidateProblem, table: str, tol: float) -> None:
        self._tol = tol
        X, share = problem.tables[table], problem.loss.share
        self._mean, self._offset = share @ X, share @ problem.Y
        root = np.sqrt(len(X) * share)[:, None]
        self._X = np.asfortranarray(root * (X - self._mean))
        self._Y = np.asfortranarray(root * (problem.Y - self._offset))

    @property
    def largest(self) -> float:
        """The least α at which no column has a weight."""
        slopes = np.linalg.norm(self._X.T @ self._Y, axis=1)
        return float(slopes.max()) / len(self._X) or 1.0

    def path(self, alphas: Array) -> Array:
        """Coefficients at these α, in descending order, of shape (steps, p, k)."""
        X, y = self._X, self._Y[:, 0] if self._Y.shape[1] == 1 else self._Y
        # Before scikit-learn 1.8, precompute="auto" is an error if the inputs are not checked.
        gram = X.T @ X if X.shape[0] > X.shape[1] and y.ndim == 1 else False
        with quiet_about(ConvergenceWarning):  # the folds judge the coefficients
            # Nothing is drawn, but without a seed the solver would use NumPy's generator.
            # The inputs are checked for every α otherwise, which takes longer than all else.
            _, coefs, _ = enet_path(
                X,
                y,
                l1_ratio=1.0,
                alphas=alphas,
                precompute=gram,
                Xy=None if gram is False else X.T @ y,
                tol=self._tol,
                random_state=0,
                check_input=False,
            )
        coefs = coefs[None] if coefs.ndim == 2 else coefs
        return np.ascontiguousarray(coefs.transpose(2, 1, 0))

    def predict(self, X: Array, path: Array) -> Array:
        """Predictions for other rows, of shape (steps, n, k)."""
        return (X - self._mean) @ path + self._offset


def _stretches(coefs: Array) -> Array:
    sizes = np.linalg.norm(coefs, axis=1)
    return np.asarray(np.sqrt(sizes / (sizes.max() or 1.0)))
