"""Cohen's kappa of ordered grades: the order of categories, and what is refused."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from kernlearn.metrics import quadratic_kappa_scorer, quadratic_weighted_kappa


def test_an_ordered_categorical_has_the_order_of_its_categories():
    pd = pytest.importorskip("pandas")
    names = ["low", "mid", "high"]
    truth = pd.Series(pd.Categorical(["low", "mid", "high", "low"], names, ordered=True))
    predicted = np.array(["low", "low", "mid", "low"])
    expected = quadratic_weighted_kappa(truth, predicted, names)
    assert expected != quadratic_weighted_kappa(np.asarray(truth), predicted)
    assert quadratic_weighted_kappa(truth, predicted) == expected

    class Constant(BaseEstimator):
        def predict(self, X):
            return predicted

    assert quadratic_kappa_scorer()(Constant(), np.zeros((4, 1)), truth) == expected


@pytest.mark.parametrize(
    ("truth", "predicted", "said"),
    [
        ([1, 2], [1, 2, 3], r"got shapes \(2,\) and \(3,\); pass the true"),
        (None, None, r"got shapes \(\) and \(\)"),
        (np.array(["a", None], dtype=object), ["a", "b"], "one kind, got a mixture"),
    ],
)
def test_what_are_no_grades_of_the_same_rows_is_refused(truth, predicted, said):
    with pytest.raises(ValueError, match=said):
        quadratic_weighted_kappa(truth, predicted)
