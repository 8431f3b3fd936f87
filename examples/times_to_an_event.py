"""
Times to an event
=================

``KernelSurvival`` learns a risk from patients who were followed until an event or until the study
ended. The risk of these generated patients rises with one column and has a valley along another.
A linear risk finds the first only.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from kernlearn import KernelSurvival
from kernlearn.survival import kaplan_meier

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (400, 3))
event_time = rng.exponential(np.exp(-1.5 * X[:, 0] - 3 * X[:, 1] ** 2))
end_of_study = rng.exponential(1.0, 400)
event, time = event_time <= end_of_study, np.minimum(event_time, end_of_study)
train, test = slice(0, 250), slice(250, None)

y_test = np.column_stack([event, time])[test]
for name, kernels in {"linear": ["linear"], "several kernels": ["linear", "Gaussian"]}.items():
    model = KernelSurvival(kernels).fit(X[train], event=event[train], time=time[train])
    print(f"{name}: concordance {model.score(X[test], y_test):.2f} on test rows")

# %%
# Left: Kaplan–Meier curves of the test rows with the lowest, the middle and the highest predicted
# risk. Right: predicted curves of three rows that differ in the second column only.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained", sharey=True)
times = np.linspace(0.0, 1.5, 200)
risk = model.predict(X[test])
third = np.searchsorted(np.quantile(risk, [1 / 3, 2 / 3]), risk)
for part, name in enumerate(("low", "middle", "high")):
    rows = third == part
    curve = kaplan_meier(event=event[test][rows], time=time[test][rows])
    left.step(times, curve(times), where="post", label=f"{name} risk")
left.set(title="observed, by predicted risk", xlabel="time", ylabel="share without the event")
left.set_ylim(0, 1.02)
left.legend(frameon=False)

values = (0.0, 0.5, 0.9)
rows = np.array([[0.0, value, 0.0] for value in values])
for value, curve in zip(values, model.predict_survival_function(rows, times), strict=True):
    right.step(times, curve, where="post", label=f"second column {value}")
right.set(title="predicted", xlabel="time")
right.legend(frameon=False)
