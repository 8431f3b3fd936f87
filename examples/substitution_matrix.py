"""
A learned substitution matrix
=============================

How similar letters are, learned from labelled sequences (Cawley and Talbot 2014, section 4).
"""

# %%
# Sequences in which purines, A and G, mean the same, and so do pyrimidines, C and T.
import matplotlib.pyplot as plt
import numpy as np

from kernlearn import FirstLevelClassifier, LSSVMClassifier
from kernlearn.kernels import Substitution

rng = np.random.default_rng(0)
X = ["".join(row) for row in rng.choice(list("ACGT"), size=(360, 12))]
y = np.array([sum(letter in "AG" for letter in row[2:9]) > 3 for row in X])

# %%
# Equal or different, or as similar as the labels say: the learned matrix needs fewer sequences.
# These sequences were made so that it does. On 300 real splice sites, single letters gain little:
# 9.6 % errors with equal and different letters, 9.5 % with a learned matrix. Words of two letters
# gain more, 7.2 and 6.1 %.
for name, model in {
    "identity": LSSVMClassifier(Substitution("ACGT")),
    "learned": FirstLevelClassifier(kernel="substitution"),
}.items():
    model.fit(X[:60], y[:60])
    print(f"{name}: {model.score(X[60:], y[60:]):.2f} correct")

# %%
# The matrix, with a proof that no other one has a smaller criterion for this λ and μ.
letters = list(model.substitution_matrix_)
plt.imshow(model.kernel_.matrix, cmap="RdBu_r", vmin=-1.5, vmax=1.5)
plt.xticks(range(4), letters)
plt.yticks(range(4), letters)
plt.colorbar(label="similarity")
print(f"relative duality gap: {model.duality_gap_:.0e}")
