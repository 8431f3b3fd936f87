"""Select one candidate, mix decision values, or mix kernels under one machine?

KernelClassifier mixes the decision values of its candidates. This runs its contest on the IDA suite
and compares, with the same candidates and the same held-out predictions,

- the best candidate alone;
- the mixture of decision values, for several strengths of the prior and numbers of members;
- the mixture of kernels: the weights of the default mixture on the candidates' matrices, each in
  units of the variance that it gives to a row, under one machine with its own λ by leave-one-out;
- the default without ranks, learned scales of columns, combinations or hyperkernels.

It prints mean errors, mean ranks and the mean log loss of the test rows.

    python -m benchmarks.mixtures DIR [DIVISIONS] [SET ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from kernlearn.comparison import compare
from kernlearn.estimators._folds import make_folds
from kernlearn.estimators._preparation import Preparation
from kernlearn.estimators.candidates.choice import chosen_families
from kernlearn.estimators.candidates.contest import Contest, hold_contest
from kernlearn.estimators.candidates.machine import Machine, Training
from kernlearn.estimators.candidates.problem import Problem
from kernlearn.estimators.candidates.view import View
from kernlearn.kernels import Precomputed
from kernlearn.papers.defaults.data import Division, load_classes
from kernlearn.quality.predictive import LogLoss
from kernlearn.solvers.mixture import Mixing

PRIOR, MEMBERS = 20.0, 5
Values = np.ndarray
Rule = Callable[["Held"], Values]


class Held:
    """A contest, and what every candidate predicts for the test rows."""

    def __init__(self, part: Division) -> None:
        Y = np.where(part.y_train[:, None] > 0, 1.0, -1.0)
        prepare = Preparation.learned(part.X_train, list(part.X_train.columns), True)
        self.tables = {name: prepare.apply(part.X_train, name) for name in prepare.tables}
        self.new = {name: prepare.apply(part.X_test, name) for name in prepare.tables}
        rows = np.arange(len(Y))
        folds = make_folds(5, rows, part.y_train, rows, stratify=True, random_state=0)
        self.problem = Problem(self.tables, LogLoss(Y, np.ones(len(Y))), folds)
        generator = np.random.RandomState(0)
        self.contest: Contest = hold_contest(self.problem, *chosen_families("auto"), generator)
        self.held_out = np.stack([found.judged.on_folds for found in self.contest.found])
        self.scales = np.array([self.problem.loss.scale(F) for F in self.held_out])
        self.test = np.stack([self._predictions(place) for place in range(len(self.held_out))])

    def _predictions(self, place: int) -> Values:
        found = self.contest.found[place]
        table = found.view.table
        training = Training(self.tables[table], self.problem.Y, self.problem.weight)
        machine = Machine.trained(table, found.judged.kernel, found.judged.lam, training, None)
        return machine.predict(self.new[table])[:, 0]

    def weights(self, prior: float, members: int, keep: Callable[[str], bool]) -> Values:
        """Of the candidates with such titles, zero for the others."""
        kept = [i for i, found in enumerate(self.contest.found) if keep(found.title)]
        weights = np.zeros(len(self.held_out))
        weights[kept] = Mixing(self.problem.loss, self.held_out[kept], prior).weights(members)
        return weights


def best(held: Held) -> Values:
    losses = [found.loss for found in held.contest.found]
    place = int(np.argmin(losses))
    return held.scales[place] * held.test[place]


def mixed(
    prior: float = PRIOR, members: int = MEMBERS, keep: Callable[[str], bool] = lambda title: True
) -> Rule:
    return lambda held: (held.weights(prior, members, keep) * held.scales) @ held.test


def kernels_mixed(held: Held) -> Values:
    """One machine on Σ w_j K_j / u_j."""
    weights = held.weights(PRIOR, MEMBERS, lambda title: True)
    K, K_new = 0.0, 0.0
    for found, weight in zip(held.contest.found, weights, strict=True):
        if weight > 0:
            table = found.view.table
            own = found.judged.kernel(held.tables[table])
            unit = float(own.diagonal().mean() - own.mean()) or 1.0
            K = K + weight / unit * own
            K_new = K_new + weight / unit * found.judged.kernel(held.new[table], held.tables[table])
    n = len(held.problem)
    whole = Problem({"standard": np.arange(n)[:, None]}, held.problem.loss, held.problem.folds)
    judged = View("standard").judge(lambda X: Precomputed(K), whole, None)
    training = Training(whole.tables["standard"], whole.Y, whole.weight)
    machine = Machine.trained("standard", judged.kernel, judged.lam, training, None)
    values = K_new @ machine.dual_coef + machine.intercept
    return whole.loss.scale(judged.held_out) * values[:, 0]


RULES: dict[str, Rule] = {
    "best candidate": best,
    "mixture of kernels": kernels_mixed,
    "mixture of values": mixed(),
    "no prior": mixed(prior=1e-3),
    "prior / 4": mixed(prior=PRIOR / 4),
    "prior × 4": mixed(prior=4 * PRIOR),
    "3 members": mixed(members=3),
    "10 members": mixed(members=10),
    "no ranks": mixed(keep=lambda title: "ranked" not in title),
    "no ARD": mixed(keep=lambda title: "ARD" not in title),
    "no combination": mixed(keep=lambda title: "combination" not in title),
    "no hyperkernel": mixed(keep=lambda title: "hyperkernel" not in title),
}


def judged(part: Division) -> dict[str, tuple[float, float]]:
    """Error in per cent and log loss of every rule on one division."""
    held, found = Held(part), {}
    for rule, values_of in RULES.items():
        values = values_of(held)
        wrong = 100.0 * float(np.mean((values > 0) != (part.y_test > 0)))
        found[rule] = wrong, float(np.mean(np.logaddexp(0.0, -values * part.y_test)))
    return found


def main(folder: Path, divisions: int, names: list[str]) -> None:
    tables = load_classes(folder)
    errors: dict[str, dict[str, list[float]]] = {rule: {} for rule in RULES}
    losses: dict[str, list[float]] = {rule: [] for rule in RULES}
    parallel = Parallel(n_jobs=-1)
    for name in names or tables:
        parts = (tables[name].divide(index, 0) for index in range(divisions))
        for found in parallel(delayed(judged)(part) for part in parts):
            for rule, (wrong, loss) in found.items():
                errors[rule].setdefault(name, []).append(wrong)
                losses[rule].append(loss)
        row = ", ".join(f"{rule} {np.mean(errors[rule][name]):.2f}" for rule in RULES)
        print(f"{name}: {row}", flush=True)
    ranks = compare(errors).ranks
    print("\n| rule | mean error | mean rank | mean log loss |\n|---|---|---|---|")
    for rule in RULES:
        mean = np.mean([np.mean(values) for values in errors[rule].values()])
        print(f"| {rule} | {mean:.2f} | {ranks[rule]:.2f} | {np.mean(losses[rule]):.4f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5, sys.argv[3:])
