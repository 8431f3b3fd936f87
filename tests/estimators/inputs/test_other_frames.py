"""Data frames of other makers are like those of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import kernlearn as kl
from kernlearn.kernels import Columns, Gaussian, Overlap

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["age", "iron", "sugar"])
Y = (FRAME["iron"] > 0).to_numpy()


def polars(frame):
    return pytest.importorskip("polars").DataFrame({name: frame[name].to_list() for name in frame})


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(params=[polars, arrow], ids=["polars", "arrow"])
def other(request):
    return request.param


ESTIMATORS = [
    kl.MKLClassifier(Gaussian(0.1)),
    kl.MKLClassifier([Columns(["iron"], Gaussian(0.5)), Columns(["age", "sugar"], Gaussian(0.5))]),
    kl.LSSVMClassifier(lam=0.1, theta=[1.0], selection=None),
    kl.HyperkernelClassifier(),
    kl.KernelClassifier(candidates=["Gaussian"]),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_names_and_predictions_are_those_of_pandas(estimator, other):
    from sklearn.base import clone

    expected = clone(estimator).fit(FRAME, Y)
    model = clone(estimator).fit(other(FRAME), Y)
    assert model.feature_names_in_.tolist() == ["age", "iron", "sugar"]
    values = model.decision_function(other(FRAME))
    np.testing.assert_allclose(values, expected.decision_function(FRAME), rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="eature names"):
        model.predict(other(FRAME[["sugar", "iron", "age"]]))
    if hasattr(model, "relevance_"):
        found = model.relevance_
        assert found["column"][found["relevance"].argmax()] == "iron"


def test_text_is_read_by_its_kernel(other):
    frame = FRAME.assign(kind=np.where(Y, "a", "b"))
    model = kl.MKLClassifier([Columns("kind", Overlap()), Columns("age", Gaussian(0.5))])
    assert model.fit(other(frame), Y).score(other(frame), Y) == 1.0


def test_kernels_choose_columns_by_name(other):
    kernel = Columns(["iron"], Gaussian(0.5))
    np.testing.assert_array_equal(kernel(other(FRAME)), kernel(FRAME))
    with pytest.raises(ValueError, match="must name columns of the data frame, got \\['gold'\\]"):
        Columns(["gold"], Gaussian(0.5))(other(FRAME))


def test_views_may_be_of_any_maker(other):
    views = {"blood": other(FRAME[["iron", "sugar"]]), "age": other(FRAME[["age"]])}
    model = kl.MKLClassifier(Gaussian(0.5)).fit(views, Y)
    assert model.feature_names_in_.tolist() == ["blood: iron", "blood: sugar", "age: age"]
