"""Outcomes that are times to an event, some of them right-censored: estimates and scores."""

from kernlearn.survival.curves import StepFunction, kaplan_meier, nelson_aalen
from kernlearn.survival.outcome import SurvivalOutcome, survival_outcome
from kernlearn.survival.pseudo_observations import (
    pseudo_restricted_mean,
    pseudo_survival,
)

__all__ = [
    "StepFunction",
    "SurvivalOutcome",
    "kaplan_meier",
    "nelson_aalen",
    "pseudo_restricted_mean",
    "pseudo_survival",
    "survival_outcome",
]
