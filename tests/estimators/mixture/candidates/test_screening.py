"""Families, their ladders, and the screening between them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.estimators.mixture.candidates import screening as module
from kernlearn.estimators.mixture.candidates.choice import CandidateChoice, chosen_families
from kernlearn.estimators.mixture.candidates.family import KernelFamily
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.registry import ARD, FAMILIES
from kernlearn.estimators.mixture.candidates.representation import Representation
from kernlearn.estimators.mixture.candidates.screening import Screening, screen_candidates
from kernlearn.estimators.mixture.options import ScreeningOptions
from kernlearn.estimators.mixture.preparation.sources import SourceBlock
from kernlearn.kernels import Gaussian, Kernel, Linear
from kernlearn.quality.predictive import LogLoss, SquaredLoss
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl


def make_problem(n=60, stopping=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    Y = np.sin(2 * X[:, :1]) + 0.2 * rng.normal(size=(n, 1))
    folds = [np.arange(i, n, 5) for i in range(5)]
    return CandidateProblem(
        {"standard": X}, SquaredLoss(Y, np.ones(n)), folds, stopping or StoppingControl()
    )


def test_the_ladder_is_climbed_to_its_best_rung():
    family = FAMILIES["Gaussian"]
    problem = make_problem()
    found = family.search(problem, Representation("standard"))
    each = [
        KernelFamily("one", lambda X, c, c0=c0: family.kernel(X, c0)).search(
            problem, Representation("standard")
        )
        for c0 in family.ladder
    ]
    assert found.place == np.argmin([one.loss for one in each])
    assert found.loss == pytest.approx(each[found.place].loss, rel=1e-3)


def test_what_does_badly_on_one_table_is_not_tried_on_the_next():
    problem = make_problem()
    tables = {"standard": problem.tables["standard"], "ranked": problem.tables["standard"]}
    choice = chosen_families(["linear", "Gaussian", "Matérn"])
    found = screen_candidates(replace(problem, tables=tables), choice, np.random.RandomState(0))
    losses = {one.title: one.loss for one in found.fits}
    plain = sorted(["linear", "Gaussian", "Matérn"], key=losses.get)
    assert {title for title in losses if "ranked" in title} == {
        f"{one}, ranked" for one in plain[:2]
    }


def test_a_search_may_go_on_from_another():
    family = FAMILIES["Gaussian"]
    small = family.search(make_problem(40), Representation("standard"))
    problem = make_problem()
    near = family.search(problem, Representation("standard"), small)
    assert near.loss == pytest.approx(
        family.search(problem, Representation("standard")).loss, rel=1e-2
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_makes_kernels_at_any_scale_of_the_data(name):
    family, problem = FAMILIES[name], make_problem(30)
    blocks = [SourceBlock(0, slice(0, 1), False), SourceBlock(1, slice(1, None), False)]
    problem = replace(problem, source_blocks=blocks)
    if family.has_margin:
        problem = replace(problem, loss=LogLoss(np.sign(problem.Y), problem.weight))
    found = family.search(problem, Representation("standard"))
    assert isinstance(found.judged.kernel, Kernel)
    scaled = CandidateProblem(
        {"standard": 1e3 * problem.tables["standard"]},
        problem.loss,
        problem.folds,
        source_blocks=blocks,
    )
    close = 1e-3 if family.has_margin else 1e-5  # libsvm's own tolerance is no smaller
    assert family.search(scaled, Representation("standard")).loss == pytest.approx(
        found.loss, rel=close
    )


def test_scales_of_columns_find_the_one_that_matters():
    screening = screen_candidates(make_problem(), chosen_families(["Gaussian", ARD]), np.random)
    plain, stretched = screening.fits
    assert (plain.title, stretched.title) == ("Gaussian", "Gaussian, ARD")
    assert stretched.loss < plain.loss
    scales = stretched.judged.kernel.scales
    assert scales[1:].max() < 0.5 * scales[0]


def test_beyond_some_rows_only_the_best_see_them_all():
    options, everyone = ScreeningOptions(rows=40, shortlist=2), chosen_families(list(FAMILIES))
    generator = np.random.RandomState(0)
    screening = screen_candidates(make_problem(60), everyone, generator, options=options)
    assert len(screening.fits) == 2
    assert len(screening.fits[0].judged.held_out) == 60


@pytest.mark.parametrize("labels", [False, True])
def test_who_is_clearly_worse_has_no_weight_and_sees_no_more_rows(labels):
    """A linear machine cannot tell shells apart, a Gaussian one can."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    Y = (X**2).sum(axis=1, keepdims=True) - 1.4
    loss = LogLoss(np.sign(Y), np.ones(300)) if labels else SquaredLoss(Y, np.ones(300))
    problem = CandidateProblem({"standard": X}, loss, [np.arange(i, 300, 5) for i in range(5)])
    families = chosen_families(["linear", "Gaussian", "Laplacian"])
    options = ScreeningOptions(rows=300)
    screening = screen_candidates(problem, families, np.random, options=options)
    weights = screening.weights(8)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] == 0.0
    assert weights.max() >= 0.5
    np.testing.assert_array_equal(
        screening.weights(8, min_weight=1.0) > 0, weights == weights.max()
    )
    few = ScreeningOptions(rows=200)
    large = screen_candidates(problem, families, np.random.RandomState(0), options=few)
    assert "linear" not in [found.title for found in large.fits]
    assert all(len(found.judged.held_out) == 300 for found in large.fits)


@pytest.mark.parametrize("loss", [SquaredLoss, LogLoss])
def test_targets_of_a_fold_have_no_say_in_the_weights_by_which_it_is_mixed(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = np.sign(X[:, :1] + 0.5 * rng.normal(size=(60, 1)))
    problem = CandidateProblem(
        {"standard": X}, loss(Y, np.ones(60)), [np.arange(0, 20), np.arange(20, 60)]
    )
    families = chosen_families(["linear", "Gaussian", "Laplacian"])
    options = ScreeningOptions(rows=300)
    screening = screen_candidates(problem, families, np.random, options=options)
    mixed = screening.held_out(8)
    for fold in problem.folds:
        others = np.setdiff1d(np.arange(60), fold)
        turned = np.where(np.isin(np.arange(60), fold), -1.0, 1.0)[:, None] * Y
        again = Screening(
            replace(problem, loss=loss(turned, np.ones(60))), screening.fits
        ).held_out(8)
        np.testing.assert_allclose(again[fold], mixed[fold], atol=1e-9)
        assert np.abs(again[others] - mixed[others]).max() > 1e-3
    one_fold = replace(problem, folds=[np.arange(60)])
    factors = screening.factors(screening.weights(8))
    np.testing.assert_allclose(
        Screening(one_fold, screening.fits).held_out(8),
        np.tensordot(factors, screening.compared, 1),
    )


def broken(X, c):
    raise NumericalError("Gaussian must give finite values")


@pytest.mark.parametrize("labels", [False, True])
def test_kernels_that_all_break_down_on_a_sample(labels):
    problem, few = make_problem(60), ScreeningOptions(rows=40)
    if labels:
        problem = replace(problem, loss=LogLoss(np.sign(problem.Y), problem.weight))
    choice = CandidateChoice([KernelFamily("broken", broken)])
    assert not screen_candidates(problem, choice, np.random.RandomState(0), options=few).fits


def test_an_early_end_keeps_what_was_found():
    stopping = StoppingControl(callback=lambda progress: progress.step == 3)
    problem = make_problem(stopping=stopping)
    screening = screen_candidates(problem, chosen_families("auto"), np.random)
    assert len(screening.fits) == 3
    assert stopping.stopped is Status.STOPPED


def test_a_kernel_that_breaks_down_is_left_out_with_a_note():
    families = [KernelFamily("broken", broken), FAMILIES["linear"]]
    problem = make_problem()
    screening = screen_candidates(problem, CandidateChoice(families), np.random)
    assert [found.title for found in screening.fits] == ["linear"]
    assert problem.notes == ["broken was left out: Gaussian must give finite values"]


def test_any_other_error_is_a_defect_and_ends_the_search():
    def wrong(X, c):
        raise ValueError("operands could not be broadcast together")

    with pytest.raises(ValueError, match="operands"):
        screen_candidates(
            make_problem(), CandidateChoice([KernelFamily("wrong", wrong)]), np.random
        )


def test_a_sample_has_its_share_of_every_fold():
    problem = make_problem(60)
    rows = problem.sample(20, np.random.RandomState(0))
    assert len(rows) == len(set(rows)) == 20
    some = problem.rows(rows)
    assert [len(fold) for fold in some.folds] == [4] * 5
    np.testing.assert_array_equal(some.Y, problem.Y[rows])
    for before, after in zip(problem.folds, some.folds, strict=True):
        assert set(rows[after]) <= set(before)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ("linear", "expected candidates to be 'auto' or a list"),
        (7, "expected candidates to be 'auto' or a list"),
        (["rbf"], "names among linear, .*, ARD, got 'rbf'"),
        ([], "expected one candidate at least"),
    ],
)
def test_wrong_candidates_are_refused(candidates, message):
    with pytest.raises(ValueError, match=message):
        chosen_families(candidates)


def test_kernels_of_ones_own_take_part():
    chosen = chosen_families([Gaussian(0.3), Linear()])
    assert [family.name for family in chosen.families] == ["Gaussian(gamma=0.3)", "Linear()"]
    assert not chosen.stretches
    assert not chosen.logarithms
    assert chosen_families([ARD]).stretches


def test_a_machine_with_a_margin_is_that_of_libsvm():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    Y = np.where(X[:, :1] + 0.5 * rng.normal(size=(60, 1)) > 0, 1.0, -1.0)
    weight = rng.uniform(0.5, 2.0, size=60)
    folds = [np.arange(i, 60, 5) for i in range(5)]
    problem = CandidateProblem({"standard": X}, LogLoss(Y, weight), folds)
    found = FAMILIES["Gaussian SVM"].search(problem, Representation("standard"))
    kernel, lam = found.judged.kernel, found.judged.lam
    for rows in folds:
        others = np.setdiff1d(np.arange(60), rows)
        machine = SVC(C=1.0 / lam, gamma=kernel.gamma)
        machine.fit(X[others], Y[others, 0], sample_weight=weight[others])
        expected = machine.decision_function(X[rows])
        np.testing.assert_allclose(found.judged.held_out[rows, 0], expected, atol=1e-2)
    model = kl.KernelClassifier(["Gaussian SVM"], standardize=False).fit(X, Y[:, 0])
    assert (model.predict(X) == Y[:, 0]).mean() > 0.75
    assert model.predict_proba(X).shape == (60, 2)


def test_side_by_side_it_is_the_same_contest(monkeypatch):
    Y = np.sign(make_problem().Y)
    problem = replace(make_problem(), loss=LogLoss(Y, np.ones(len(Y))))
    held, filters = [], list(warnings.filters)
    for threads in (1, 3):
        monkeypatch.setattr(module, "n_threads", lambda threads=threads: threads)
        chosen = chosen_families(["linear", "Gaussian", "Laplacian", "ARD", "trees"])
        held.append(screen_candidates(problem, chosen, np.random.RandomState(0)).fits)
    alone, together = held
    assert [one.title for one in together] == [one.title for one in alone]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one.judged.held_out, other.judged.held_out)
        assert one.seconds > 0
    assert list(warnings.filters) == filters


def test_side_by_side_it_ends_early_with_what_was_found(monkeypatch):
    monkeypatch.setattr(module, "n_threads", lambda: 2)
    told = []
    stopping = StoppingControl(lambda progress: told.append(progress) or len(told) == 2)
    held = screen_candidates(make_problem(stopping=stopping), chosen_families("auto"), None)
    assert len(held.fits) == 2
    assert stopping.stopped is Status.STOPPED
