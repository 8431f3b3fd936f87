"""Content of a model file of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

from kernlearn.tables import Column, TableError, columns_used, typed_frame
from kernlearn.tables.notation import is_notation
from kernlearn.tables.outcome_targets import OUTCOME_TASKS, exposures_of
from kernlearn.typing import Array, Json, PandasFrame, Targets

__all__ = ["ModelBundle"]

TASKS = ("classification", "regression", "survival", *OUTCOME_TASKS)


def _last_has(name: str) -> Callable[[ModelBundle], bool]:
    return lambda bundle: hasattr(bundle.pipeline.steps[-1][1], name)


def _pipeline_has(name: str) -> Callable[[ModelBundle], bool]:
    return lambda bundle: hasattr(bundle.pipeline, name)


@dataclass(frozen=True, eq=False, repr=False)
class ModelBundle:
    """A fitted pipeline, the facts of its making, and a few rows to draw.

    This is what :func:`kernlearn.load` makes of a file that ``kernlearn fit --model`` wrote.
    `predict` and its like take the table as it comes, a data frame with the columns that the model
    was fitted to, in any order, as ``pandas.read_csv`` reads it: dates as text or as dates, empty
    cells, further columns, which are ignored. The target may be among them.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Fitted; takes a data frame as `sample_X` is one, with the columns of the table as
        `kernlearn.tables` types them.
    facts : dict
        JSON values only (None, bool, int, float, str, lists and dicts of these). Besides what
        follows, those that `kernlearn.methods.facts` documents:

        ``task``
            "classification", "regression", "survival", "counts", "outcomes" or "ranking".
        ``target``
            Name of the column to predict; of times to an event, the column of times.
        ``event``
            Name of the column that says whether the event was seen; None for other targets.
        ``classes``
            The labels as text, sorted as the estimator sorts them; None for regression.
        ``class_counts``
            How many rows each class has, in the order of ``classes``; None for regression.
        ``method``, ``method_title``
            The method's short name ("mkl") and its name in words. With ``auto``, of the method
            that was kept.
        ``requested_method``
            What was asked for; differs from ``method`` with "auto".
        ``table``, ``n_rows``, ``n_columns``
            File name, rows used, and columns other than the target.
        ``columns``
            List of ``{"name", "kind", "action", "notation"}``: kind is "number", "category",
            "date", "constant", "identifier", "empty", "text", "dropped", "group" or "row number";
            action says what was done, in words; notation is how numbers or dates are written, such
            as "1.234,5" or "%d/%m/%Y", empty for plain ones. Older files have none.
        ``notes``
            List of sentences on what was done to the table as a whole, and what was skipped.
        ``metric``
            "accuracy" or "R²".
        ``evaluation``
            How rows were held out, as a sentence.
        ``scores``
            List of ``{"name", "score", "low", "high", "seconds", "role"}``, the model first
            (role "model"), then the baselines (role "baseline"); low and high bound a 95 %
            interval and may be None.
        ``comparison``
            With ``auto``: list of ``{"method", "name", "score", "standard_error", "folds",
            "seconds", "kept", "note"}``, best first; a method that was skipped has score None and
            the reason as note. None otherwise.
        ``certificate``
            ``{"objective", "lower_bound", "gap", "n_machine_solves", "status", "sentence"}``;
            numbers are None where the method has none.
        ``kernel``
            The learned kernel in words.
        ``weights``
            List of ``{"name", "weight"}``, one per kernel, or None.
        ``scale_shares``
            List of ``{"name", "share"}``, one per prepared column, summing to one, or None.
        ``views``
            Dict from view to its columns, or None.
        ``seconds``
            Wall-clock time of the final fit.
        ``seed``
            The seed.
        ``command``
            The command line as a list of words.
        ``versions``
            Dict from package to version.
        ``created``
            Date and time in ISO 8601, UTC.
    sample_X : DataFrame
        At most 300 of the rows that the pipeline was fitted to, without the target.
    sample_y : ndarray
        Targets of these rows.
    """

    pipeline: Pipeline
    facts: Json = field(default_factory=dict)
    sample_X: PandasFrame = None
    sample_y: Targets | None = None

    @property
    def estimator(self) -> BaseEstimator:
        """The step of the pipeline that learned a kernel; its last step where none did."""
        steps = [step for _, step in self.pipeline.steps]
        fitted = [step for step in steps if hasattr(step, "kernel_")]
        return fitted[0] if fitted else steps[-1]

    def prepared(self, X: PandasFrame = None) -> PandasFrame:
        """The columns as :attr:`estimator` sees them.

        Parameters
        ----------
        X : DataFrame, optional
            Rows; by default `sample_X`.

        Returns
        -------
        array or DataFrame
            One row per row of X.
        """
        place = [step for _, step in self.pipeline.steps].index(self.estimator)
        rows = self.sample_X if X is None else X
        return self.pipeline[:place].transform(rows) if place else rows

    @property
    def classes_(self) -> Targets:
        """The labels in the order of the columns of :meth:`predict_proba`."""
        return np.asarray(self.pipeline.classes_)

    def predict(self, table: PandasFrame, **options: object) -> Any:
        """Predict the target for every row.

        Parameters
        ----------
        table : data frame
            With the columns of the table that the model was fitted to, as they come.
        **options
            Of the estimator, such as ``return_std=True`` for a Gaussian process.

        Returns
        -------
        ndarray of shape (n,), or (n, k) for k outcomes
            Labels as they were in the target's column, numbers, expected counts, or scores to rank
            by.
        """
        rows, exposure = self.typed(table), self.facts.get("exposure")
        if exposure:
            return self.pipeline.predict(rows) * exposures_of(table, exposure)
        return self.pipeline.predict(rows, **options) if options else self.predicted(rows)

    def predicted(self, rows: PandasFrame) -> Targets:
        """Predict the target of typed rows; of two classes, by the threshold that costs chose.

        Parameters
        ----------
        rows : DataFrame
            From :meth:`typed`.

        Returns
        -------
        ndarray of shape (n,)
            Labels or numbers.
        """
        threshold = self.facts.get("threshold")
        if not threshold:
            return np.asarray(self.pipeline.predict(rows))
        is_positive = self.pipeline.predict_proba(rows)[:, 1] >= float(threshold["value"])
        return np.asarray(self.classes_[is_positive.astype(int)])

    @available_if(_pipeline_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, table: PandasFrame) -> Array:
        """Decision values; a column for each of :attr:`classes_` where there are more than two.

        Parameters
        ----------
        table : data frame
            With the columns of the table that the model was fitted to, as they come.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Large where the model is sure of the second class, or of the class of the column.
        """
        return np.asarray(self.pipeline.decision_function(self.typed(table)))

    @available_if(_pipeline_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, table: PandasFrame) -> Array:
        """Probabilities of the classes, in the order of :attr:`classes_`.

        Parameters
        ----------
        table : data frame
            With the columns of the table that the model was fitted to, as they come.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Rows sum to one.
        """
        return np.asarray(self.pipeline.predict_proba(self.typed(table)))

    @available_if(_last_has("predict_interval"))  # type: ignore[untyped-decorator]
    def predict_interval(self, table: PandasFrame, coverage: float = 0.9) -> Array:
        """Intervals that hold new targets with a given probability.

        Parameters
        ----------
        table : data frame
            With the columns of the table that the model was fitted to, as they come.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.
        """
        rows, steps = self.typed(table), self.pipeline.steps
        prepared = self.pipeline[:-1].transform(rows) if len(steps) > 1 else rows
        name = self.facts.get("exposure")
        arguments = {"exposure": exposures_of(table, name)} if name else {}
        return np.asarray(steps[-1][1].predict_interval(prepared, coverage, **arguments))

    def typed(self, table: PandasFrame) -> PandasFrame:
        """The columns of a table that the model uses, with the types of the fit.

        Parameters
        ----------
        table : data frame
            With the columns of the table that the model was fitted to, as they come.

        Returns
        -------
        DataFrame
            One row per row of the table, like `sample_X`.
        """
        lacking = self.lacking()
        if lacking:
            raise TableError(
                f"the model lacks {', '.join(lacking)} among what kernlearn fit writes; fit it "
                "again by kernlearn fit"
            )
        columns = [Column(**column) for column in self.facts["columns"]]
        sample = {} if self.sample_X is None else self.sample_X
        known = {name: sample.get(name, ()) for name in columns_used(columns, "category")}
        rows = typed_frame(table, columns, known)
        self.check_n_rows(len(rows))
        return rows

    def lacking(self) -> list[str]:
        """Names of what the model needs to predict, but lacks; a file may be damaged."""
        facts = vars(self).get("facts")
        missing = [
            name
            for name, is_right in _NEEDED.items()
            if not isinstance(facts, dict) or not is_right(facts.get(name))
        ]
        return (
            missing if hasattr(vars(self).get("pipeline"), "predict") else [*missing, "the model"]
        )

    def check_n_rows(self, n_rows: int) -> None:
        """Refuse any but its own table for a model of kernel matrices."""
        kernels = getattr(self.estimator, "kernels", None) or []
        sizes = {len(kernel.K) for kernel in kernels if hasattr(kernel, "K")}
        if sizes and sizes != {n_rows}:
            raise TableError(
                f"expected the {sizes.pop()} rows of the kernel matrices, got {n_rows}; a model of "
                "kernel matrices predicts the rows of its own table, those without a target too"
            )

    def __repr__(self) -> str:
        stored: object = getattr(self, "facts", None)  # also of a file that was changed by hand
        facts = stored if isinstance(stored, dict) else {}
        words = [facts.get(name, "unknown") for name in ("method_title", "target", "table")]
        return f"<ModelBundle: {words[0]}, predicts {words[1]!r}, fitted to {words[2]}>"


def _are_columns(value: object) -> bool:
    keys = {"name", "kind", "action"}  # and, of newer files, how numbers and dates are written
    return isinstance(value, list) and all(
        isinstance(column, dict)
        and keys <= set(column) <= keys | {"notation"}
        and _are_texts([*column.values()])
        and is_notation(column.get("notation", ""))
        for column in value
    )


def _are_categories(value: object) -> bool:
    """Older files have none."""
    return value is None or (isinstance(value, dict) and all(map(_are_texts, value.values())))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


_NEEDED: dict[str, Callable[[object], bool]] = {
    "task": lambda value: value in TASKS,
    "target": lambda value: isinstance(value, str),
    "columns": _are_columns,
    "classes": lambda value: value is None or _are_texts(value),
    "categories": _are_categories,
}
