"""
Text, categories and numbers in one data frame
==============================================

Generated orders of a shop: a review, the department, the customer's age and the price. Some orders
have no review. The target is whether the customer recommends the product. Each kind of source has a
kernel of its own, and ``MKLClassifier`` learns their weights.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from kernlearn import MKLClassifier
from kernlearn.inspection import KernelWeightsDisplay
from kernlearn.kernels import Columns, Features, Gaussian, Linear, Overlap

# %%
# What a customer writes depends on whether they are content, and so, less clearly, do the
# department and the age at which a price is thought fair.

generator = np.random.default_rng(0)
n = 600
content = generator.normal(size=n)
departments = np.array(["hats", "coats", "shoes", "scarves", "gloves"])
department = generator.integers(0, 5, n)
age = generator.uniform(18, 80, n)
price = generator.gamma(3.0, 20.0, n)
score = content + 0.6 * (department == 0) - 0.8 * (department == 2)
score += 0.8 * np.sin(age / 8.0) * (price < 80) + 0.4 * generator.normal(size=n)
recommended = (score > 0).astype(int)

praise = ["lovely", "warm", "soft", "perfect", "fits", "comfortable", "elegant", "favourite"]
blame = ["small", "thin", "scratchy", "returned", "poor", "broke", "faded", "disappointed"]
filler = ["the", "it", "and", "is", "was", "very", "this", "colour", "bought", "winter", "size"]


def review(contentment: float) -> str:
    """A few words; the more content the customer, the more of them are praise."""
    share = 1.0 / (1.0 + np.exp(-1.5 * contentment))
    telling = [generator.choice(praise if generator.random() < share else blame) for _ in range(4)]
    return " ".join(generator.permutation([*telling, *generator.choice(filler, 8)]))


orders = pd.DataFrame(
    {
        "review": [review(value) for value in content],
        "department": departments[department],
        "age": age.round(),
        "price": price.round(2),
    }
)
orders.loc[generator.random(n) < 0.2, "review"] = None
print(orders.head(3).to_string())

# %%
# A kernel for every source. `Features` fits the vectoriser and the scaler to the training rows of
# each split, and `missing="mean"` puts orders without a review where a review says nothing.

kernels = [
    Columns("review", Features(TfidfVectorizer(), Linear())),
    Columns("department", Overlap()),
    Columns(["age", "price"], Features(StandardScaler(), Gaussian(gamma=0.5))),
    Columns(["age", "price"], Features(StandardScaler(), Gaussian(gamma=4.0))),
]
names = ["review", "department", "age and price, wide", "age and price, narrow"]
learned = MKLClassifier(kernels, C=3.0, normalize=True, missing="mean")

# %%
# What one would do instead: logistic regression on the words, or boosting on the rest. Both see the
# same splits; an order without a review has no words.

words = orders.assign(review=orders["review"].fillna(""))["review"]
numbers = make_pipeline(
    make_column_transformer((OrdinalEncoder(), ["department"]), remainder="passthrough"),
    HistGradientBoostingClassifier(random_state=0),
)
contest = {
    "words, logistic regression": (make_pipeline(TfidfVectorizer(), LogisticRegression()), words),
    "the rest, boosting": (numbers, orders.drop(columns="review")),
    "all sources, learned weights": (learned, orders),
}
splits = ShuffleSplit(5, train_size=300, random_state=0)
accuracy = {
    name: cross_val_score(model, rows, recommended, cv=splits)
    for name, (model, rows) in contest.items()
}
for name, scores in accuracy.items():
    print(f"{scores.mean():.3f}  ({scores.min():.3f} to {scores.max():.3f})  {name}")

# %%
# The weights, learned from all orders, and the accuracies.

figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 3.5), layout="constrained")
weights = learned.fit(orders, recommended).weights_
KernelWeightsDisplay(weights, names).plot(ax=left)
left.set_title("learned weights", fontsize="medium")
means = np.array([scores.mean() for scores in accuracy.values()])
ranges = np.array([[scores.min(), scores.max()] for scores in accuracy.values()])
right.errorbar(
    means,
    np.arange(len(means)),
    xerr=np.abs(ranges - means[:, None]).T,
    fmt="o",
    color="#0072b2",
    capsize=3,
)
right.set_yticks(np.arange(len(means)), list(accuracy))
right.invert_yaxis()
right.set_xlabel("accuracy on 300 unseen orders")
right.set_title("mean and range of five splits", fontsize="medium")
right.spines[["top", "right"]].set_visible(False)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
