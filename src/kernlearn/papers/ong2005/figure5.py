"""Figure 5: digits of the US Postal Service, most novel and most typical."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernlearn import HyperkernelNoveltyDetector
from kernlearn.datasets import UspsDigits, load_usps
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.tables import ComparisonTable, TableEntry
from kernlearn.runtime.progress import track
from kernlearn.typing import Array, Indices, Mask

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIGITS = (1, 2)
NU = 0.1
SHOWN = 12  # images in a row of the picture
SIDE = 16  # pixels
# Support vectors lie on the edge up to rounding; relative to the threshold.
ON_THE_EDGE = 1e-6
COLUMNS = (
    "images",
    "called novel",
    "at most νn",
    "on the edge",
    "pivots with weight",
    "of pivots",
    "residual",
    "gap",
    "seconds",
)
NOTES = (
    "One detector for each digit, on its images in the USPS test set, with ν = 0.1 and all else "
    "at its defaults. Our copy of the paper has no numbers.",
    "Points on the edge are neither outside nor inside: their decision value is zero up to "
    "rounding, and the picture orders them by their multipliers.",
    "Residual: what the pivots leave out of the hyperkernel's trace; gap: relative duality gap of "
    "the learned weights.",
)


@dataclass(frozen=True, eq=False)
class RankedDigit:
    """The images of one digit, the most novel first, and a number for each column of the table."""

    digit: int
    images: Array
    numbers: dict[str, float]


def reproduce_figure5(options: RunOptions, usps: UspsDigits | None = None) -> ComparisonTable:
    """Rank the images of both digits, draw both ends, and return what the detectors found."""
    usps = load_usps(options.data_dir) if usps is None else usps
    tasks = ((digit, usps.X_test[usps.y_test == digit]) for digit in DIGITS)
    ranked = [
        rank_digit(digit, X)
        for digit, X in track(tasks, description="Figure 5", total=len(DIGITS), quiet=options.quiet)
    ]
    picture = save_picture(
        options.out / "figure5.png",
        lambda figure: draw_novel_digits(figure, ranked),
        width=0.45 * SHOWN + 0.8,
        height=2.2,
    )
    entries = tuple(
        TableEntry((f"‘{each.digit}’",), column, None, [each.numbers[column]], ".3g")
        for each in ranked
        for column in COLUMNS
    )
    title = "Ong, Smola and Williamson (2005), Figure 5: novelty among USPS digits"
    return ComparisonTable(title, ("digit",), COLUMNS, entries, (*NOTES, picture))


def rank_digit(digit: int, X: Array) -> RankedDigit:
    """Fit a detector to the images of one digit and put them in the order of their novelty."""
    start = time.perf_counter()
    detector = HyperkernelNoveltyDetector(nu=NU).fit(X)
    seconds = time.perf_counter() - start
    decision = detector.decision_function(X)
    edge = on_the_edge(detector, decision)
    found = (
        len(X),
        np.sum((decision < 0) & ~edge),
        NU * len(X),
        np.sum(edge),
        np.sum(detector.weights_ > 0),
        len(detector.weights_),
        detector.pivot_residual_,
        detector.duality_gap_,
        seconds,
    )
    numbers = dict(zip(COLUMNS, map(float, found), strict=True))
    return RankedDigit(digit, X[novelty_order(detector, X)], numbers)


def novelty_order(detector: HyperkernelNoveltyDetector, X: Array) -> Indices:
    r"""Return the training points from the most novel to the most typical.

    By decision value :math:`f(x_i) - \rho`. On the edge that is zero for all, and the multiplier
    :math:`\alpha_i` goes on, largest first: it is :math:`1/(\nu n)` for points outside, zero for
    points inside, and says how much the machine would gain by leaving the point out. `X` holds the
    points that the detector was fitted to, in their order.
    """
    decision = detector.decision_function(X)
    multipliers = np.zeros(len(X))
    multipliers[detector.support_] = detector.dual_coef_[0]
    edge = on_the_edge(detector, decision)
    return np.lexsort((np.where(edge, -multipliers, 0.0), np.where(edge, 0.0, decision)))


def on_the_edge(detector: HyperkernelNoveltyDetector, decision: Array) -> Mask:
    """Whether a decision value is zero but for rounding."""
    return np.asarray(np.abs(decision) <= ON_THE_EDGE * abs(detector.offset_))


def draw_novel_digits(figure: Figure, ranked: list[RankedDigit]) -> None:
    """Draw as the paper does: the novel images of each digit above, the typical ones below."""
    rows = [(f"novel ‘{each.digit}’", each.images[:SHOWN]) for each in ranked]
    rows += [(f"typical ‘{each.digit}’", each.images[::-1][:SHOWN]) for each in ranked]
    axes = figure.subplots(len(rows), SHOWN, squeeze=False)
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
    for line, (label, images) in zip(axes, rows, strict=True):
        line[0].set_ylabel(label, rotation=0, ha="right", va="center", fontsize="small")
        for ax, image in zip(line, images, strict=False):
            ax.imshow(image.reshape(SIDE, SIDE), cmap="gray_r", vmin=-1.0, vmax=1.0)
