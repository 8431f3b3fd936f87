"""The picture of Figure 1: points by the first two eigenvectors of three kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from kernlearn import retrieval_auc
from kernlearn.inspection import EmbeddingDisplay
from kernlearn.papers.kondor2007.protocol import Sample
from kernlearn.papers.kondor2007.spaces import (
    Components,
    fitted_metric,
    fixed_gram,
    learned_gram,
)
from kernlearn.papers.pictures import save_picture
from kernlearn.typing import Array

__all__ = ["WIDTHS", "draw_figure1"]


# What was chosen for a combination, as the columns of the table are called.
WIDTHS = ("σ / median", "σ_h / σ", "C")


def _against(train: Array, gram: Callable[[Array, Array], Array], X: Array) -> Array:
    return gram(X, train)


def draw_figure1(path: Path, sample: Sample, chosen: dict[str, dict[str, float]]) -> str:
    """Draw a sample as the paper does: training, testing, and a fixed kernel beside.

    Parameters
    ----------
    path : pathlib.Path
        The picture.
    sample : Sample
        The points.
    chosen : dict
        For each combination its σ, σ_h and C, as `run_sample` returns them.

    Returns
    -------
    str
        A note that says where the picture is, or why there is none.
    """
    train = sample.X_train
    grams: dict[str, Callable[[Array], Array]] = {}
    for combination, numbers in chosen.items():
        sigma, sigma_h, C = (numbers[name] for name in WIDTHS)
        model = fitted_metric(sample, combination, (sigma, sigma_h, C))
        grams[f"{combination} hyperkernel"] = partial(_against, train, partial(learned_gram, model))
    grams["fixed RBF"] = partial(_against, train, partial(fixed_gram, sample))

    def draw(figure: Any) -> None:
        axes = figure.subplots(2, len(grams))
        for column, (name, gram) in zip(axes.T, grams.items(), strict=True):
            plane = Components(gram(train))
            parts = ((train, sample.y_train), (sample.X_test, sample.y_test))
            for ax, part, (X, y) in zip(column, ("training", "test"), parts, strict=True):
                EmbeddingDisplay(plane.of(gram(X)), y).plot(ax=ax)
                area = retrieval_auc(plane.distances(gram(X)), y)
                ax.set_title(f"{name}, {part}: area {area:.2f}", fontsize="medium")

    return save_picture(path, draw, width=11.0, height=7.0)
