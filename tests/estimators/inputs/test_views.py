"""Several tables on the same rows, each a source with kernels of its own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import kernlearn as kl
from kernlearn.inspection import KernelWeightsDisplay, kernel_formula, kernel_label
from kernlearn.kernels import Bag, Columns, Gaussian, Linear, Precomputed

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
GENES = RNG.normal(size=(60, 5)) + Y[:, None]
LIPIDS = RNG.normal(size=(60, 2)) * 10
VIEWS = {"genes": GENES, "lipids": LIPIDS}
SIDE_BY_SIDE = np.hstack([GENES, LIPIDS])
BY_HAND = [Columns(slice(0, 5), Gaussian(0.1)), Columns(slice(5, 7), Gaussian(0.1))]


def names_of(model):
    return list(dict.fromkeys(kernel.name for kernel in model.kernels_))


@pytest.mark.parametrize("as_list", [False, True])
def test_one_kernel_on_each_view_is_what_columns_do(as_list):
    given = list(VIEWS.values()) if as_list else VIEWS
    model = kl.MKLClassifier(Gaussian(0.1)).fit(given, Y)
    by_hand = kl.MKLClassifier(BY_HAND).fit(SIDE_BY_SIDE, Y)
    np.testing.assert_array_equal(model.weights_, by_hand.weights_)
    expected = by_hand.decision_function(SIDE_BY_SIDE)
    np.testing.assert_array_equal(model.decision_function(given), expected)
    assert names_of(model) == (["view 1", "view 2"] if as_list else ["genes", "lipids"])


def test_the_default_bank_is_chosen_for_each_view():
    model = kl.MKLClassifier().fit(VIEWS, Y)
    alone = {name: kl.MKLClassifier().fit(view, Y).kernels_ for name, view in VIEWS.items()}
    expected = [repr(kernel) for bank in alone.values() for kernel in bank]
    assert [repr(columns.kernel) for columns in model.kernels_] == expected
    assert [k.name for k in model.kernels_] == [name for name in alone for _ in alone[name]]
    assert model.bank_notes_[0].startswith("genes: ")
    by_view = {
        name: sum(w for k, w in zip(model.kernels_, model.weights_, strict=True) if k.name == name)
        for name in VIEWS
    }
    assert model.score(VIEWS, Y) > 0.8
    assert by_view["genes"] > 0


def test_columns_name_a_view():
    kernels = [Columns("genes", Linear()), Columns("lipids", Gaussian(0.01))]
    model = kl.MKLClassifier(kernels, normalize=True).fit(VIEWS, Y)
    assert [kernel_label(kernel) for kernel in model.kernels_] == [
        "genes: linear",
        "lipids: Gaussian, γ = 0.01",
    ]
    assert "x[genes], z[genes]" in kernel_formula(model.kernel_)
    assert KernelWeightsDisplay.from_estimator(model).labels[0] == "genes: linear"
    with pytest.raises(ValueError, match="name one of the views genes, lipids, got 'proteins'"):
        kl.MKLClassifier([Columns("proteins", Linear())]).fit(VIEWS, Y)


def test_regression_novelty_and_unlabelled_rows():
    z = GENES[:, 0] + 0.1 * RNG.normal(size=60)
    model = kl.MKLRegressor(C=10.0).fit(VIEWS, z)
    assert model.score(VIEWS, z) > 0.8
    assert model.predict_interval(VIEWS).shape == (60, 2)
    turned = {"lipids": LIPIDS, "genes": GENES}
    np.testing.assert_array_equal(model.predict(turned), model.predict(VIEWS))
    np.testing.assert_array_equal(model.predict(SIDE_BY_SIDE), model.predict(VIEWS))
    novelty = kl.MKLNoveltyDetector().fit(VIEWS)
    far = {"genes": np.full((1, 5), 99.0), "lipids": np.full((1, 2), -999.0)}
    assert novelty.predict(far).tolist() == [-1]
    few = {name: view[:10] for name, view in VIEWS.items()}
    learned = kl.MKLClassifier(Gaussian(0.1)).fit(VIEWS, Y, X_unlabeled=few)
    assert learned.transduction_.shape == (10,)


def test_data_frames_keep_their_names(tmp_path):
    frames = {
        "genes": pd.DataFrame(GENES, columns=list("abcde")),
        "lipids": pd.DataFrame(LIPIDS, columns=["a", "b"], index=np.arange(60) + 7),
    }
    model = kl.MKLClassifier(Gaussian(0.1)).fit(frames, Y)
    assert model.feature_names_in_[[0, 5]].tolist() == ["genes: a", "lipids: a"]
    expected = kl.MKLClassifier(Gaussian(0.1)).fit(VIEWS, Y).decision_function(VIEWS)
    np.testing.assert_allclose(model.decision_function(frames), expected, rtol=1e-12)
    other = {**frames, "lipids": frames["lipids"][["b", "a"]]}
    with pytest.raises(ValueError, match="view 'lipids' as in fit, 'a' as number 1, got 'b'; pass"):
        model.predict(other)
    kl.save(model, tmp_path / "m.kl")
    again = kl.load(tmp_path / "m.kl")
    np.testing.assert_array_equal(again.decision_function(frames), model.decision_function(frames))
    with pytest.raises(ValueError, match="view 'lipids' as in fit"):
        again.predict(other)


@pytest.mark.parametrize("as_list", [False, True])
def test_names_of_columns_are_checked_where_only_some_views_have_them(as_list):
    def views(genes):
        return [genes, LIPIDS] if as_list else {"genes": genes, "lipids": LIPIDS}

    frame = pd.DataFrame(GENES, columns=list("abcde"))
    model = kl.MKLClassifier(Gaussian(0.1)).fit(views(frame), Y)
    for other in (frame[list("abced")], frame.set_axis(list("abcxy"), axis=1)):
        with pytest.raises(ValueError, match=r"as in fit, 'd' as number 4, got '[ex]'; pass the"):
            model.predict(views(other))
    expected = model.decision_function(views(frame))
    np.testing.assert_array_equal(model.decision_function(views(GENES)), expected)


PATIENTS = [f"patient {i}" for i in range(60)]


@pytest.mark.parametrize(
    ("genes", "lipids", "refused"),
    [
        (None, range(59, -1, -1), True),
        (PATIENTS, PATIENTS[::-1], True),
        (PATIENTS, [*PATIENTS[1:], "patient 60"], True),
        (PATIENTS, ["patient 0", *PATIENTS[:59]], True),
        (PATIENTS, PATIENTS, False),
        (PATIENTS, None, False),
        (None, range(7, 67), False),
        (PATIENTS, [f"sample {i}" for i in range(60)], False),
        (pd.MultiIndex.from_product([range(6), range(10)]), PATIENTS, False),
    ],
    ids=[
        "counted backwards",
        "another order",
        "shifted",
        "one twice",
        "the same",
        "one without labels",
        "numbers of some larger table",
        "labels of two kinds",
        "labels of two levels",
    ],
)
def test_row_labels_that_contradict_each_other_are_refused(genes, lipids, refused):
    frames = {
        "genes": pd.DataFrame(GENES, index=genes),
        "lipids": pd.DataFrame(LIPIDS, index=lipids),
    }
    if not refused:
        kl.MKLClassifier(Gaussian(0.1)).fit(frames, Y)
        return
    sentence = r"got .* in X\['genes'\] and .* in X\['lipids'\] as the labels of row \d; take"
    with pytest.raises(ValueError, match=sentence):
        kl.MKLClassifier(Gaussian(0.1)).fit(frames, Y)
    model = kl.MKLClassifier(Gaussian(0.1)).fit(VIEWS, Y)
    with pytest.raises(ValueError, match=sentence):
        model.predict(frames)


def test_rows_that_lack_a_view():
    genes = GENES.copy()
    genes[::4] = np.nan
    gaps = {"genes": genes, "lipids": LIPIDS}
    model = kl.MKLClassifier(Gaussian(0.1), missing="mean").fit(gaps, Y)
    assert model.score(gaps, Y) > 0.7


def test_a_later_fit_to_one_table_forgets_the_views():
    model = kl.MKLClassifier(Gaussian(0.1)).fit(VIEWS, Y).fit(SIDE_BY_SIDE, Y)
    assert not hasattr(model, "views_")
    assert len(model.kernels_) == 1
    with pytest.raises(ValueError, match="expected one table, got several views"):
        model.predict(VIEWS)


def test_tables_as_rows_are_no_views_where_a_kernel_takes_things():
    bags = [RNG.normal(size=(3, 2)) + 3 * y for y in Y]
    model = kl.MKLClassifier([Bag(Gaussian(0.5))]).fit(bags, Y)
    assert not hasattr(model, "views_")
    assert model.score(bags, Y) > 0.9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"lipids": LIPIDS[:59]}, r"as many rows in every view, got 60 in X\['genes'\] and 59 in"),
        ({"lipids": LIPIDS[:, 0]}, r"X\['lipids'\] must be a 2-D table .* got 1-D data"),
        ({"lipids": csr_array(LIPIDS)}, r"dense table, got a sparse .* X\['lipids'\].toarray"),
        ({"lipids": np.full((60, 2), "a")}, r"X\['lipids'\] must hold real numbers"),
        ({"lipids": np.full((60, 2), np.nan)}, r"X\['lipids'\] must hold finite numbers only, got"),
        ({"lipids": np.zeros((60, 0))}, r"X\['lipids'\] must have at least one column"),
    ],
)
def test_wrong_views_are_named(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        kl.MKLClassifier().fit({**VIEWS, **change}, Y)


def test_wrong_structures_are_refused():
    model = kl.MKLClassifier(Gaussian(0.1)).fit(VIEWS, Y)
    with pytest.raises(ValueError, match="expected the views genes, lipids, as in fit, got genes;"):
        model.predict({"genes": GENES})
    with pytest.raises(ValueError, match="view 'genes' with 5 columns, as in fit, got 4; pass"):
        model.predict({**VIEWS, "genes": GENES[:, 1:]})
    with pytest.raises(ValueError, match="lipids by their names, as in fit, got 2 tables without"):
        model.predict([LIPIDS, GENES])
    unnamed = kl.MKLClassifier(Gaussian(0.1)).fit([GENES, LIPIDS], Y)
    with pytest.raises(ValueError, match="got view 1, view 2, view 3; pass one table for each"):
        unnamed.predict([GENES, LIPIDS, LIPIDS])
    with pytest.raises(ValueError, match="one view at least, got an empty dictionary"):
        kl.MKLClassifier().fit({}, Y)
    with pytest.raises(ValueError, match="HyperkernelClassifier expected one table, got several"):
        kl.HyperkernelClassifier().fit(VIEWS, Y)


def test_precomputed_kernels_have_names():
    kernels = [Precomputed(GENES @ GENES.T, "genes"), Precomputed(LIPIDS @ LIPIDS.T)]
    model = kl.MKLClassifier(kernels, normalize=True).fit(np.arange(60)[:, None], Y)
    assert [kernel_label(kernel) for kernel in model.kernels_] == [
        "genes",
        "Precomputed(K=<60 x 60 matrix>)",
    ]
    assert "N[genes(x, z)]" in kernel_formula(model.kernel_)
    assert repr(kernels[0]) == "Precomputed(K=<60 x 60 matrix>, name='genes')"
