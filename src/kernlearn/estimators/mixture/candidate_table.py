"""What was tried, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class CandidateTable:
    """One row for each candidate, the least loss first."""

    names: list[str]  # the family, and what it sees of the columns
    # Held-out loss and its standard error.
    losses: Array
    errors: Array
    seconds: Array  # how long the search took
    weights: Array  # in the mixture, of sum one

    @classmethod
    def of(cls, screening: Screening, weights: Array) -> CandidateTable:
        """From a screening and the mixture of its candidates."""
        loss = screening.problem.loss.of_linked
        rows = np.array([loss.rows(loss.scale(F) * F) for F in screening.compared])
        means = rows @ loss.share
        errors = np.sqrt((rows - means[:, None]) ** 2 @ loss.share**2)
        order = np.argsort(means, kind="stable")
        names = [screening.found[i].title for i in order]
        seconds = np.array([screening.found[i].seconds for i in order])
        return cls(names, means[order], errors[order], seconds, weights[order])

    def records(self) -> list[dict[str, Any]]:
        """The rows."""
        columns = zip(self.names, self.losses, self.errors, self.seconds, self.weights, strict=True)
        return [
            {
                "candidate": name,
                "held_out_loss": float(loss),
                "standard_error": float(error),
                "seconds": float(seconds),
                "weight": float(weight),
            }
            for name, loss, error, seconds, weight in columns
        ]

    def shown(self) -> Any:
        """A data frame, or the records where pandas is not installed."""
        try:
            return load_pandas("a table of candidates").DataFrame(self.records())
        except ImportError:
            return self.records()

    def html(self) -> str:
        """The members of the mixture, for a notebook."""
        rows = "".join(
            f"<tr><td>{escape(row['candidate'])}</td><td>{row['weight']:.2f}</td>"
            f"<td>{row['held_out_loss']:.3g} ± {row['standard_error']:.1g}</td></tr>"
            for row in self.records()
            if row["weight"] > 0
        )
        head = "<tr><th>member</th><th>weight</th><th>held-out loss</th></tr>"
        return f"<table>{head}{rows}</table>"
