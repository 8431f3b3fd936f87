"""Predictions for held-out rows by mixtures whose every choice was made without them.

Widths and ridges of the candidates are chosen with all rows, so that their predictions for held-out
rows are optimistic: the fewer the rows, the more. With few rows candidates are searched again
without each fold, on the other folds, and mixed and trained there. These are the candidates of a
fast fit: on 18 tables of 25 and 50 rows they told the errors of new rows as well as all of them, in
a third of the time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.outcomes import relate_outcomes
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.screening import screen_candidates
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.effort import EFFORTS, choice_at
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.typing import Array


def nested_predictions(
    problem: CandidateProblem,
    choice: CandidateChoice,
    max_members: int,
    least: float,
    options: MixtureOptions,
) -> Array | None:
    """Predictions for every row, of shape (n, k); None where there is no time for them."""
    if len(problem.folds) < 3:  # without one of them, nothing could be held out
        return None
    choice = choice_at(choice, EFFORTS["fast"])
    values, everyone = np.empty_like(problem.Y), np.arange(len(problem))
    for fold in problem.folds:
        # Nothing is told of these candidates, but the time that they take counts.
        left = problem.stopping.seconds_left
        silent = StoppingControl(time_limit=None if np.isinf(left) else left)
        part = replace(problem.rows(np.setdiff1d(everyone, fold)), stopping=silent, notes=[])
        random_state = np.random.RandomState(0)
        screening = screen_candidates(part, choice, random_state, options=options.screening)
        if silent.stopped is not None or not screening.found:
            return None
        screening = relate_outcomes(screening, len(part), max_members, least)
        training = TrainingRows(part.tables, part.Y, part.weight, part, None)
        weights = screening.weights(max_members, least)
        members = Members.trained(screening, weights, part.Y, training, options, random_state)
        held_out = {name: table[fold] for name, table in problem.tables.items()}
        values[fold] = members.predict(held_out)
    return values
