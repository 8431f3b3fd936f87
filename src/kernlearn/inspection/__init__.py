"""Pictures of what was learned, by scikit-learn's Display convention."""

from kernlearn.formulas.formula import kernel_formula
from kernlearn.inspection.candidates import CandidatesDisplay
from kernlearn.inspection.convergence import ConvergenceDisplay
from kernlearn.inspection.critical_difference import CriticalDifferenceDisplay
from kernlearn.inspection.decision_surface import DecisionSurfaceDisplay
from kernlearn.inspection.dependence import interactions, partial_dependence
from kernlearn.inspection.dependence_display import PartialDependenceDisplay
from kernlearn.inspection.embedding import EmbeddingDisplay
from kernlearn.inspection.feature_scales import FeatureScalesDisplay
from kernlearn.inspection.gram import GramDisplay
from kernlearn.inspection.kernel_weights import KernelWeightsDisplay
from kernlearn.inspection.labels import kernel_label
from kernlearn.inspection.nearest_rows import nearest_rows
from kernlearn.inspection.pair_score import PairScoreDisplay
from kernlearn.inspection.relevance_display import RelevanceDisplay
from kernlearn.inspection.shapley import shapley_values
from kernlearn.inspection.shuffled_columns import relevance
from kernlearn.inspection.spectrum import SpectrumDisplay
from kernlearn.inspection.theta import ThetaDisplay
from kernlearn.inspection.theta_path import ThetaPathDisplay, theta_path
from kernlearn.inspection.weight_path import WeightPathDisplay

__all__ = [
    "CandidatesDisplay",
    "ConvergenceDisplay",
    "CriticalDifferenceDisplay",
    "DecisionSurfaceDisplay",
    "EmbeddingDisplay",
    "FeatureScalesDisplay",
    "GramDisplay",
    "KernelWeightsDisplay",
    "PairScoreDisplay",
    "PartialDependenceDisplay",
    "RelevanceDisplay",
    "SpectrumDisplay",
    "ThetaDisplay",
    "ThetaPathDisplay",
    "WeightPathDisplay",
    "interactions",
    "kernel_formula",
    "kernel_label",
    "nearest_rows",
    "partial_dependence",
    "relevance",
    "shapley_values",
    "theta_path",
]
