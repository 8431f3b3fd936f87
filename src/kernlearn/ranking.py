"""Learn to rank from graded relevance, or from pairs of rows of which one comes first."""

from kernlearn.estimators.ranking.ranker import MKLRanker

__all__ = ["MKLRanker"]
