"""Stretches from slopes: the slopes against differences, and what they find."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from kernlearn.estimators.mixture.candidates import screening
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.candidates.gradients import gradient_scales
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.registry import FAMILIES
from kernlearn.estimators.mixture.candidates.representation import Representation, ScaledColumns
from kernlearn.estimators.mixture.options import ScreeningOptions
from kernlearn.kernels import Matern, Stretched
from kernlearn.quality.predictive import SquaredLoss
from kernlearn.runtime.status import Status
from kernlearn.solvers.selection.column_starts import slopes


def make_problem(n=60, p=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1]]) + 0.1 * rng.normal(size=(n, 2))
    folds = [np.arange(i, n, 5) for i in range(5)]
    return CandidateProblem({"standard": X}, SquaredLoss(Y, np.ones(n)), folds)


def test_slopes_are_those_of_central_differences():
    problem = make_problem()
    X, scales, length = problem.tables["standard"], np.array([1.0, 0.5, 0.0, 2.0]), 2.5
    kernel = Stretched(Matern(length, 1.5), scales)
    machine = KernelMachine.trained("standard", kernel, 0.1, X, problem.Y, problem.weight)
    places = np.arange(0, len(X), 2)
    found = slopes(X, scales, length, machine.coef, places)
    h = 1e-5
    for r in range(4):
        step = h * np.eye(4)[r]
        expected = (machine.predict(X + step) - machine.predict(X - step)) / (2 * h)
        np.testing.assert_allclose(found[:, :, r].T, expected[places], atol=1e-6)


def test_columns_that_matter_are_stretched_most_in_every_fold():
    first, second = gradient_scales(make_problem(), "standard")
    for representation in (first, second):
        for scales in (representation.scales, *representation.without):
            assert scales.max() == 1.0
            assert scales[2:].max() < 0.5 * scales[:2].min()
        assert len({tuple(scales) for scales in representation.without}) == 5
    # Columns that do not matter are given up representation by representation.
    assert second.scales[2:].max() < first.scales[2:].max()


def test_columns_that_matter_only_together_are_found_with_a_small_ridge():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2.0, 2.0, size=(400, 5))
    Y = (np.sin(4.0 * X[:, 0]) * X[:, 1] + 0.2 * rng.normal(size=400))[:, None]
    folds = [np.arange(i, 400, 4) for i in range(4)]
    problem = CandidateProblem({"standard": X}, SquaredLoss(Y, np.ones(400)), folds)
    fitting, small = gradient_scales(problem, "standard")
    for scales in (small.scales, *small.without):
        assert scales[:2].min() > 5.0 * scales[2:].max()
    assert fitting.scales[:2].max() < fitting.scales[2:].max()


@pytest.mark.parametrize(("n_columns", "n_rows"), [(4, 30), (35, 35), (60, 50)])
def test_slopes_along_many_columns_are_of_more_rows(monkeypatch, n_columns, n_rows):
    seen = []

    def told(problem, table):
        seen.append(len(problem))
        return gradient_scales(problem, table)

    monkeypatch.setattr(screening, "gradient_scales", told)
    whole = make_problem(p=n_columns)
    sample = whole.rows(whole.sample(30, np.random.RandomState(0)))
    options = ScreeningOptions(scale_rows=30, slope_rows_per_column=1, slope_rows=50)
    learned = screening.scaled_columns(sample, whole, "standard", np.random.RandomState(0), options)
    representations = list(chain.from_iterable(learned))
    assert seen == [n_rows]
    assert len(representations[-1].without) == len(sample.folds)


def test_wide_tables_learn_by_slopes():
    found = screening.screen_candidates(
        make_problem(),
        chosen_families(["Gaussian", "ARD"]),
        np.random,
        options=ScreeningOptions(first_level_columns=3),
    )
    plain, stretched = found.fits
    assert stretched.title == "Gaussian, ARD"
    assert stretched.loss < plain.loss


def scalings(*stretches):
    """Representations that stretch the columns so in every fold, learned one after the other."""
    for scales in stretches:
        yield [ScaledColumns("standard", np.array(scales), (np.array(scales),) * 5)]


GOOD, BETTER, BAD = [1.0, 1.0, 0.3, 0.3], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("stretches", [[BETTER], [GOOD, BETTER, BAD], [BAD, BETTER, GOOD]])
def test_a_family_keeps_the_best_of_the_views(stretches):
    families = chosen_families(["Gaussian", "Laplacian"]).families
    found, other = screening.search_stretched(make_problem(), families, scalings(*stretches))
    assert other.representation is found.representation  # the others take what is best with it
    np.testing.assert_array_equal(found.judged.kernel.scales, BETTER)
    alone = FAMILIES["Gaussian"].search(make_problem(), next(scalings(BETTER))[0])
    assert found.loss == pytest.approx(alone.loss, rel=1e-2)


@pytest.mark.parametrize("fails", ["first_level_scales", "gradient_scales"])
def test_where_scales_cannot_be_learned_in_one_way_they_are_in_the_other(monkeypatch, fails):
    def broken(problem, table):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(screening, fails, broken)
    problem = make_problem()
    learned = screening.scaled_columns(problem, problem, "standard", np.random.RandomState(0))
    representations = list(chain.from_iterable(learned))
    assert len(representations) == (2 if fails == "first_level_scales" else 1)


def test_no_more_scales_are_learned_where_those_so_far_do_clearly_worse():
    problem, asked = make_problem(), []

    def representations():
        for scales in (BAD, BETTER):
            asked.append(scales)
            yield from scalings(scales)

    plain = FAMILIES["Gaussian"].search(problem, Representation("standard"))
    families = chosen_families(["Gaussian", "Laplacian"]).families
    (found,) = screening.search_stretched(problem, families, representations(), plain)
    assert asked == [BAD]
    assert found.loss > plain.loss
    both = screening.search_stretched(problem, families, scalings(BETTER), plain)
    assert [one.family.name for one in both] == ["Gaussian", "Laplacian"]


def test_after_an_early_end_the_views_so_far_count():
    problem = make_problem()

    def representations():
        yield from scalings(GOOD)
        problem.stopping.stopped = Status.TIME_LIMIT
        problem.stopping.check()

    families = chosen_families(["Gaussian", "Laplacian"]).families
    (found,) = screening.search_stretched(problem, families, representations())
    np.testing.assert_array_equal(found.judged.kernel.scales, GOOD)


def test_where_nothing_changes_there_is_nothing_to_learn():
    problem = make_problem()
    flat = CandidateProblem(
        problem.tables, SquaredLoss(0 * problem.Y, problem.weight), problem.folds
    )
    with pytest.raises(np.linalg.LinAlgError, match="no slope"):
        next(gradient_scales(flat, "standard"))
