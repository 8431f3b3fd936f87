"""The table of the candidates."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.typing import Array, Targets


@dataclass(frozen=True, eq=False)
class CandidateTable:
    """One row for each candidate, the least loss first."""

    names: list[str]  # the family, and its form of the columns
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
        names = [screening.fits[i].title for i in order]
        seconds = np.array([screening.fits[i].seconds for i in order])
        return cls(names, means[order], errors[order], seconds, weights[order])

    def columns(self) -> dict[str, Targets]:
        """The columns by name, the best candidate first."""
        return {
            "candidate": np.array(self.names, dtype=object),
            "held_out_loss": self.losses.copy(),
            "standard_error": self.errors.copy(),
            "seconds": self.seconds.copy(),
            "weight": self.weights.copy(),
        }

    def html(self) -> str:
        """The members of the mixture, for a notebook."""
        columns = zip(self.names, self.weights, self.losses, self.errors, strict=True)
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{weight:.2f}</td>"
            f"<td>{loss:.3g} ± {error:.1g}</td></tr>"
            for name, weight, loss, error in columns
            if weight > 0
        )
        head = "<tr><th>member</th><th>weight</th><th>held-out loss</th></tr>"
        return f"<table>{head}{rows}</table>"
