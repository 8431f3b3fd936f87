"""Every display of every estimator: a picture, or a sentence on what is suited."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn import inspection
from kernlearn.hyperkernels import GaussianHyperkernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] + X[:, 1] * X[:, 2] > 0

MODELS = {
    "mixture": kl.KernelClassifier(["linear", "Gaussian"]),
    "combination": kl.MKLClassifier(),
    "machine": kl.LSSVMClassifier(),
    "first level": kl.FirstLevelClassifier(lam=0.3, mu=2.0),
    "hyperkernel": kl.HyperkernelClassifier(),
    "metric": kl.HyperkernelMetric(),
}
# By display: what it draws, what it is called with beside the estimator, and which models it suits.
DISPLAYS = {
    "KernelWeightsDisplay": ("weights_", (), {"combination", "hyperkernel"}),
    "RelevanceDisplay": ("relevance_", (), {"mixture"}),
    "ThetaDisplay": ("theta_", (), {"machine", "first level"}),
    "CandidatesDisplay": ("candidates_", (), {"mixture"}),
    "FeatureScalesDisplay": ("feature_scales_", (X,), {"hyperkernel"}),
    "EmbeddingDisplay": ("transform", (X, Y), {"metric"}),
    "PairScoreDisplay": ("pair_score", (X, Y), {"metric"}),
}

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture(scope="module")
def fitted():
    return {name: make_pipeline(StandardScaler(), m).fit(X, Y) for name, m in MODELS.items()}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("display", DISPLAYS)
def test_estimators_and_pipelines_are_drawn_or_refused_alike(fitted, model, display):
    attribute, data, suited = DISPLAYS[display]
    draw = getattr(inspection, display).from_estimator
    pipeline = fitted[model]
    seen = (pipeline[0].transform(X), *data[1:]) if data else ()
    for estimator, given in ((pipeline, data), (pipeline[-1], seen)):
        if model in suited:
            draw(estimator, *given)
            continue
        name = type(MODELS[model]).__name__
        with pytest.raises(ValueError, match=f"with {attribute}, got {name} without {attribute}"):
            draw(estimator, *given)


def test_relevance_of_a_mixture_is_named_for_what_it_is(fitted):
    display = inspection.RelevanceDisplay.from_estimator(fitted["mixture"])
    found = fitted["mixture"][-1].relevance_
    order = np.argsort(-found["relevance"], kind="stable")
    assert display.labels == found["column"][order].tolist()
    assert display.standard_error.tolist() == found["standard_error"][order].tolist()
    assert display.ax_.get_xlabel() == "lost accuracy"


def test_other_displays_are_named_where_some_are_suited(fitted):
    draw = inspection.KernelWeightsDisplay.from_estimator
    with pytest.raises(
        ValueError, match=r"or draw this one by .*CandidatesDisplay or RelevanceDis"
    ):
        draw(fitted["mixture"])
    with pytest.raises(ValueError, match=r"pass for example a fitted MKLClassifier$"):
        draw(Ridge().fit(X, Y))


def test_a_path_of_weights_of_what_has_none():
    draw = inspection.WeightPathDisplay.from_estimator
    with pytest.raises(
        ValueError, match="got HyperkernelMetric without weights_; pass for example"
    ):
        draw(kl.HyperkernelMetric(), X, Y, values=[1.0])
    pipeline = make_pipeline(StandardScaler(), kl.MKLClassifier())
    display = draw(pipeline, X, Y, "mklclassifier__C", [0.1, 1.0])
    assert display.weights.shape[0] == 2


def test_why_something_is_not_there_is_said():
    model = kl.HyperkernelClassifier(GaussianHyperkernel()).fit(X, Y)
    sentence = (
        r"without feature_scales_ \(.*known for ARDHarmonic, not for GaussianHyperkernel\); pass"
    )
    with pytest.raises(ValueError, match=sentence):
        inspection.FeatureScalesDisplay.from_estimator(model, X)
