r"""Quality of held-out predictions: a proper loss of each, after one scale for all.

Numbers are judged by squared error, within limits (:mod:`kernlearn.quality.logarithms`). Labels ±1
are judged as the sign of log-odds that are known up to a factor: a least-squares machine with a
large ridge predicts small values, which says nothing against their signs, so that the factor is
found first,

.. math:: a = \arg\min_{a \ge 0} \sum_i s_i \sum_k \ell(y_{ik}, a f_{ik}), \qquad
          \ell(y, z) = \log(1 + e^{z}) - t z ,

with Platt's targets t for the two labels, just inside 0 and 1. Several columns are the machines of
several classes, one against the rest, with a common factor. Their discriminants
name the predicted class (:mod:`kernlearn.quality.discriminants`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import expit, softmax

from kernlearn.numerics.rounding import SAME
from kernlearn.quality.discriminants import Discriminants, fit_softmax, held_out_discriminants
from kernlearn.quality.grades import (
    GradeThresholds,
    grade_scores,
    held_out_grades,
    middle_grades,
)
from kernlearn.quality.logarithms import Exponentials, Limits, Logarithms
from kernlearn.typing import Array, Indices, Mask

# Link of predictions before they are compared and mixed.
Link = Discriminants | GradeThresholds | Limits | Exponentials

_MAX_STEPS = 50


@dataclass(frozen=True, eq=False)
class PredictiveLoss(ABC):
    """A loss of predictions for n rows."""

    Y: Array  # Targets, of shape (n, k)
    weight: Array  # Positive weights of the rows, of shape (n,)
    is_of_labels: ClassVar[bool] = False
    sums_to_one: ClassVar[bool] = False  # Whether weights of a mixture do
    title: ClassVar[str] = ""

    @cached_property
    def share(self) -> Array:
        """The weights as shares of one."""
        return np.asarray(self.weight / self.weight.sum())

    def value(self, predictions: Array) -> float:
        """The weighted mean over rows, at the best scale."""
        return float(self.share @ self.rows(self.scale(predictions) * predictions))

    def value_and_slope(self, predictions: Array, changes: Array) -> tuple[float, float]:
        """The value, and its derivative along these changes of the predictions.

        At the best scale, a change of the scale changes nothing.
        """
        scale = self.scale(predictions)
        slopes = (self.slopes(scale * predictions)[0] * changes).sum(axis=1)
        return float(self.share @ self.rows(scale * predictions)), scale * float(
            self.share @ slopes
        )

    @abstractmethod
    def scale(self, predictions: Array) -> float:
        """The factor that multiplies predictions before they are judged."""

    @abstractmethod
    def rows(self, predictions: Array) -> Array:
        """The loss of every row, summed over targets."""

    def wrong(self, predictions: Array) -> Mask | Array:
        """For labels, the rows where the largest value, or the sign of the only one, is wrong.

        For grades, the number of grades between the prediction and the target of each row.
        """
        if self.Y.shape[1] == 1:
            return np.asarray((predictions[:, 0] > 0) != (self.Y[:, 0] > 0))
        return np.asarray(predictions.argmax(axis=1) != self.Y.argmax(axis=1))

    def link(self, predictions: Array) -> Link | None:
        """The link of predictions before they are compared and mixed; None for the identity."""
        return None

    def linked(self, predictions: Array) -> Array:
        """The predictions after the link, for every row by the predictions for other rows alone."""
        return predictions

    @property
    def of_linked(self) -> PredictiveLoss:
        """The loss of linked predictions."""
        return self

    @property
    def other(self) -> PredictiveLoss | None:
        """Another way to learn the same targets, for the best candidates; None if there is none."""
        return None

    def training_targets(self, Y: Array) -> Array:
        """The targets, in the units of the machines that this loss judges."""
        return Y

    def subset(self, rows: Indices | slice) -> PredictiveLoss:
        """The loss of some rows."""
        return replace(self, Y=self.Y[rows], weight=self.weight[rows])

    def of_rows(self, loss: PredictiveLoss) -> PredictiveLoss:
        """The same way to learn, for the rows of another loss of the same targets."""
        return replace(self, Y=self.training_targets(loss.Y), weight=loss.weight)

    def slopes(self, predictions: Array) -> tuple[Array, Array]:
        """First and second derivatives of each row's loss by its entries, each of shape (n, k)."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class SquaredLoss(PredictiveLoss):
    """Squared error.

    >>> import numpy as np
    >>> loss = SquaredLoss(np.array([[1.0], [2.0]]), np.ones(2))
    >>> loss.value(np.array([[1.0], [4.0]]))
    2.0
    """

    limits: Limits | None = None  # Limits of predictions; None without limits
    sums_to_one: ClassVar[bool] = True

    def scale(self, predictions: Array) -> float:
        """Numbers are taken as they are."""
        return 1.0

    def rows(self, predictions: Array) -> Array:
        """The squares."""
        return np.asarray(((self.Y - predictions) ** 2).sum(axis=1))

    def link(self, predictions: Array) -> Link | None:
        """The limits."""
        return self.limits

    def linked(self, predictions: Array) -> Array:
        """The predictions within the limits."""
        return predictions if self.limits is None else self.limits(predictions)

    @property
    def other(self) -> PredictiveLoss | None:
        """Logarithms of skewed amounts."""
        return LoggedLoss.of(self)

    def slopes(self, predictions: Array) -> tuple[Array, Array]:
        """Derivatives of a square."""
        return 2.0 * (predictions - self.Y), np.full_like(predictions, 2.0)


@dataclass(frozen=True, eq=False)
class LoggedLoss(SquaredLoss):
    """Squared error of logarithms, for machines that learn these.

    The machines are searched by this loss, and then judged by the targets themselves.
    """

    title: ClassVar[str] = ", log target"
    logarithms: Logarithms = field(kw_only=True)  # Logarithms of the targets

    @classmethod
    def of(cls, loss: PredictiveLoss) -> LoggedLoss | None:
        """The loss of the same targets, if they are skewed amounts; else None."""
        if not isinstance(loss, SquaredLoss) or loss.limits is None or loss.limits.zero is None:
            return None
        logarithms = Logarithms.of(loss.Y, loss.weight, loss.limits.zero)
        if logarithms is None:
            return None
        return cls(logarithms(loss.Y), loss.weight, loss.limits, logarithms=logarithms)

    def link(self, predictions: Array) -> Link | None:
        """The map from logarithms back to targets."""
        assert self.limits is not None
        return Exponentials.of(self.logarithms, self.Y - predictions, self.weight, self.limits)

    def linked(self, predictions: Array) -> Array:
        """Targets after the link, whose one factor depends next to nothing on any single row."""
        link = self.link(predictions)
        assert link is not None
        return link(predictions)

    @property
    def of_linked(self) -> PredictiveLoss:
        """Squared error of the targets themselves."""
        return SquaredLoss(self.logarithms.inverse(self.Y), self.weight, self.limits)

    @property
    def other(self) -> PredictiveLoss | None:
        """None: logarithms are already the other way."""
        return None

    def training_targets(self, Y: Array) -> Array:
        """Logarithms of the targets."""
        return self.logarithms(Y)


@dataclass(frozen=True, eq=False)
class LogLoss(PredictiveLoss):
    """The logarithm of the probability that log-odds give to the label.

    >>> import numpy as np
    >>> y = np.repeat([[1.0], [-1.0]], 50, axis=0)
    >>> small = np.where(np.arange(100) % 10 == 0, -0.01, 0.01)[:, None] * y  # one sign in ten
    >>> round(LogLoss(y, np.ones(100)).value(small), 2)  # 0.33, and more for Platt's targets
    0.36
    """

    is_of_labels = True
    order: Indices | None = None  # The columns in the order of their grades; None for classes

    @cached_property
    def targets(self) -> Array:
        """Platt's targets: frequencies of the labels with one more row of either kind."""
        positive = self.Y > 0
        on = (self.weight[:, None] * positive).sum(axis=0)
        off = self.weight.sum() - on
        return np.asarray(np.where(positive, (on + 1.0) / (on + 2.0), 1.0 / (off + 2.0)))

    def scale(self, predictions: Array) -> float:
        """The best factor, by Newton's method from zero, where the slope is concave."""
        size = float(np.abs(predictions).max())
        if not SAME < size < np.inf:  # targets that cancel leave rounding
            return 0.0
        f = (predictions / size).ravel()
        first = (self.share[:, None] * (predictions / size)).ravel()
        second, aimed = first * f, float(first @ self.targets.ravel())
        a = 0.0
        for _ in range(_MAX_STEPS):
            p = expit(a * f)
            slope = float(first @ p) - aimed
            curvature = float(second @ (p * (1.0 - p)))
            step = -slope / max(curvature, 1e-300)
            # Far out the curvature vanishes: no more than doubling, and a little.
            step = min(max(step, -0.5 * a), a + 4.0)
            a += step
            if abs(step) <= 1e-6 * a or (a == 0.0 and step == 0.0):
                break
        return a / size

    def rows(self, predictions: Array) -> Array:
        """Cross-entropy at these log-odds."""
        return np.asarray((np.logaddexp(0.0, predictions) - self.targets * predictions).sum(axis=1))

    def link(self, predictions: Array) -> Link | None:
        """The discriminants of several classes."""
        if self.Y.shape[1] == 1:
            return None
        return Discriminants.of(predictions, self.Y, self.weight)

    def linked(self, predictions: Array) -> Array:
        """The discriminants, for several classes."""
        if self.Y.shape[1] == 1:
            return predictions
        return held_out_discriminants(predictions, self.Y, self.weight)

    @property
    def of_linked(self) -> PredictiveLoss:
        """Discriminants of several classes are judged together."""
        return self if self.Y.shape[1] == 1 else ClassLoss(self.Y, self.weight, self.order)

    @property
    def other(self) -> PredictiveLoss | None:
        """Thresholds on one function, of grades."""
        return None if self.order is None else GradeLoss(self.Y, self.weight, self.order)

    def slopes(self, predictions: Array) -> tuple[Array, Array]:
        """Derivatives of the cross-entropy."""
        p = expit(predictions)
        return p - self.targets, p * (1.0 - p)


@dataclass(frozen=True, eq=False)
class GradeLoss(LogLoss):
    """Squared error of the scores of grades, for machines whose values thresholds cut.

    The machines are searched by this loss, and then judged by the probabilities of the grades.
    """

    title: ClassVar[str] = ", ordered"

    @cached_property
    def scores(self) -> Array:
        """Scores of the grades."""
        assert self.order is not None
        return grade_scores(self.weight @ (self.Y > 0) + 1.0 / len(self.order), self.order)

    def scale(self, predictions: Array) -> float:
        """Scores are taken as they are."""
        return 1.0

    def rows(self, predictions: Array) -> Array:
        """The squares."""
        return np.asarray(((predictions - self.Y) @ self.scores) ** 2)

    def slopes(self, predictions: Array) -> tuple[Array, Array]:
        """Derivatives of a square, which is not a sum over the entries of its row."""
        first = 2.0 * ((predictions - self.Y) @ self.scores)[:, None] * self.scores
        return first, np.broadcast_to(2.0 * self.scores**2, predictions.shape)

    def link(self, predictions: Array) -> Link | None:
        """The thresholds."""
        assert self.order is not None
        return GradeThresholds.of(predictions, self.Y, self.weight, self.order)

    def linked(self, predictions: Array) -> Array:
        """Grades by thresholds, for every row from the predictions for other rows alone."""
        assert self.order is not None
        return held_out_grades(predictions, self.Y, self.weight, self.order)

    @property
    def other(self) -> PredictiveLoss | None:
        """None: ordered grades are already the other way."""
        return None


@dataclass(frozen=True, eq=False)
class ClassLoss(PredictiveLoss):
    """The logarithm of the probability that a softmax of several values gives to the class.

    >>> import numpy as np
    >>> Y = np.where(np.arange(300)[:, None] % 3 == np.arange(3), 1.0, -1.0)
    >>> loss = ClassLoss(Y, np.ones(300))
    >>> round(loss.value(np.zeros((300, 3))), 2), loss.value(0.01 * Y) < 0.1
    (1.1, True)
    """

    is_of_labels = True
    order: Indices | None = None  # The columns in the order of their grades; None for classes

    @cached_property
    def targets(self) -> Array:
        """Frequencies of the classes, as if there were one more row of unknown class."""
        n, k = float(self.weight.sum()), self.Y.shape[1]
        return np.asarray((n * (self.Y > 0) + 1.0 / k) / (n + 1.0))

    def scale(self, predictions: Array) -> float:
        """The slope of the softmax."""
        if not np.isfinite(predictions).all():
            return 0.0
        return fit_softmax(predictions, self.Y.argmax(axis=1), self.weight)

    def wrong(self, predictions: Array) -> Mask | Array:
        """Wrong rows by the largest value; for grades, the distance of the median grade."""
        if self.order is None:
            return super().wrong(predictions)
        grades = middle_grades(softmax(self.scale(predictions) * predictions, axis=1), self.order)
        places = np.argsort(self.order)
        return np.asarray(np.abs(places[grades] - places[self.Y.argmax(axis=1)]), dtype=float)

    def link(self, predictions: Array) -> Link | None:
        """Nothing: they are discriminants."""
        k = self.Y.shape[1]
        return Discriminants(np.eye(k), np.zeros(k))

    def rows(self, predictions: Array) -> Array:
        """Cross-entropy of the softmax."""
        most = predictions.max(axis=1)
        whole = most + np.log(np.exp(predictions - most[:, None]).sum(axis=1))
        return np.asarray(whole - np.einsum("nk,nk->n", self.targets, predictions))
