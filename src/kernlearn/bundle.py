"""What a model file of the command line holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ModelBundle"]


@dataclass(frozen=True, eq=False)
class ModelBundle:
    """A fitted pipeline, the facts of its making, and a few rows to draw.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Fitted; takes a data frame as `sample_X` is one, with the columns of the table as
        `kernlearn.tables` types them.
    facts : dict
        JSON values only (None, bool, int, float, str, lists and dicts of these):

        ``task``
            "classification" or "regression".
        ``target``
            Name of the column to predict.
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
            List of ``{"name", "kind", "action"}``: kind is "number", "category", "date",
            "constant", "identifier", "empty", "text", "dropped" or "row number"; action says what
            was done, in words.
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
        ``relevances``
            List of ``{"name", "relevance"}``, one per prepared column, summing to one, or None.
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
        Their targets.
    """

    pipeline: Any
    facts: dict[str, Any] = field(default_factory=dict)
    sample_X: Any = None
    sample_y: Any = None

    @property
    def estimator(self) -> Any:
        """The step of the pipeline that learned a kernel; its last step where none did."""
        steps = [step for _, step in self.pipeline.steps]
        learned = [step for step in steps if hasattr(step, "kernel_")]
        return learned[0] if learned else steps[-1]

    def prepared(self, X: Any = None) -> Any:
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
