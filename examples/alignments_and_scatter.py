"""
Kernels for sequences and for sets of vectors
=============================================

Two kernels for objects that are not rows of numbers. One compares sequences by their local
alignments, the other compares sets of vectors by the Gaussians that fit them.
"""

# %%
# Sequences of two families, each with a motif at a random place and a few letters changed.
import matplotlib.pyplot as plt
import numpy as np

from kernlearn import MKLClassifier
from kernlearn.kernels import Bhattacharyya, Normalized, SmithWaterman, Spectrum

rng = np.random.default_rng(0)
motifs = ("TATAAAGGCT", "GCGCATTCCA")


def sequence(family):
    letters = rng.choice(list("ACGT"), size=40)
    motif = np.array(list(motifs[family]))
    changed = rng.random(10) < 0.15
    motif[changed] = rng.choice(list("ACGT"), size=changed.sum())
    start = rng.integers(0, 30)
    letters[start : start + 10] = motif
    return "".join(letters)


y = np.arange(160) % 2
X = [sequence(family) for family in y]
alignments, words = Normalized(SmithWaterman()), Normalized(Spectrum(3))
for name, kernel in {"alignments": alignments, "words": words}.items():
    model = MKLClassifier([kernel], C=10.0).fit(X[:80], y[:80])
    print(f"{name}: {model.score(X[80:], y[80:]):.2f} correct")

# %%
# Sets of points that scatter along one of two lines, around the same mean.
lines = np.array([[1.0, 0.4, 0.0], [0.4, 1.0, 0.0]])
X = [rng.normal(size=(8, 1)) * lines[label] + 0.3 * rng.normal(size=(8, 3)) for label in y]
model = MKLClassifier([Bhattacharyya(c=1.0)]).fit(X[:80], y[:80])
print(f"scatter: {model.score(X[80:], y[80:]):.2f} correct")

figure, ax = plt.subplots(figsize=(4.0, 4.0), layout="constrained")
for points, label in zip(X[:6], y[:6], strict=True):
    ax.scatter(points[:, 0], points[:, 1], s=14, color=f"C{label}")
ax.set(title="Three sets of each class", xlabel="first coordinate", ylabel="second coordinate")
