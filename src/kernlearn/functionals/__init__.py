"""Quality functionals Q(k; X, y): how bad a given kernel is for given data (small is good)."""

from kernlearn.functionals.alignment import Alignment
from kernlearn.functionals.base import QualityFunctional
from kernlearn.functionals.cross_validation import CrossValidationError
from kernlearn.functionals.divergence import GaussianDivergence
from kernlearn.functionals.expected_quality import ExpectedQuality, expected_quality
from kernlearn.functionals.gaussian_process import NegativeLogEvidence, NegativeLogPosterior
from kernlearn.functionals.regularized_risk import RegularizedRisk

__all__ = [
    "Alignment",
    "CrossValidationError",
    "ExpectedQuality",
    "GaussianDivergence",
    "NegativeLogEvidence",
    "NegativeLogPosterior",
    "QualityFunctional",
    "RegularizedRisk",
    "expected_quality",
]
