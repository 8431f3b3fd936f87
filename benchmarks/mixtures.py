"""Select one candidate, mix decision values, or mix kernels under one machine?

KernelClassifier mixes the decision values of its candidates. This screens them on the IDA suite
and compares, with the same candidates and the same held-out predictions,

- the best candidate alone, by loss or by errors;
- the default, decision values mixed by how clearly candidates err more than the best, for several
  numbers of members;
- decision values mixed by the log loss of the mixture, with a prior and without;
- the mixture of kernels: the weights of the default on the candidates' matrices, each in units of
  the variance that it gives to a row, under one machine with its own λ by leave-one-out;
- the default without ranks, learned scales, combinations, hyperkernels or margins.

It prints mean errors, mean ranks and the mean log loss of the test rows, and for every set how the
luck of candidates on rows held out goes with that on test rows: the correlation of the two errors
over candidates and splits, each less its means over either. Where a split shares out all the
rows that there are, a row that was lucky in one part is not in the other.

    python -m benchmarks.mixtures DIR [DIVISIONS] [SET ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from kernlearn.comparison import compare
from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import Representation
from kernlearn.estimators.mixture.candidates.screening import Screening, screen_candidates
from kernlearn.estimators.mixture.preparation.table import Preparation
from kernlearn.kernels import Precomputed
from kernlearn.papers.defaults.data import load_classes
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.quality.predictive import LogLoss
from kernlearn.solvers.selection.mixture import Mixing, weights_by_errors

PRIOR, MEMBERS = 20.0, 8
Values = np.ndarray
Errors = dict[str, tuple[float, float]]
Rule = Callable[["Held"], Values]
Weights = Callable[[LogLoss, Values], Values]


class Held:
    """A screening, and what every candidate predicts for the test rows."""

    def __init__(self, part: TrainTestSplit) -> None:
        Y = np.where(part.y_train[:, None] > 0, 1.0, -1.0)
        prepare = Preparation.fit(part.X_train, list(part.X_train.columns), True)
        self.tables = {name: prepare.apply(part.X_train, name) for name in prepare.tables}
        self.new = {name: prepare.apply(part.X_test, name) for name in prepare.tables}
        rows = np.arange(len(Y))
        folds = make_folds(5, rows, part.y_train, rows, stratify=True, random_state=0)
        self.problem = CandidateProblem(self.tables, LogLoss(Y, np.ones(len(Y))), folds)
        generator = np.random.RandomState(0)
        self.screening: Screening = screen_candidates(
            self.problem, chosen_families("auto"), generator
        )
        self.held_out = np.stack([found.judged.held_out for found in self.screening.fits])
        self.scales = np.array([self.problem.loss.scale(F) for F in self.held_out])
        self.test = np.stack([self._predictions(place) for place in range(len(self.held_out))])

    def _predictions(self, place: int) -> Values:
        found = self.screening.fits[place]
        table = found.representation.table
        X, Y, weight = self.tables[table], self.problem.Y, self.problem.weight
        judged = found.judged
        machine = KernelMachine.trained(
            table, judged.kernel, judged.lam, X, Y, weight, judged.has_margin
        )
        return machine.predict(self.new[table])[:, 0]

    def errors(self, y_test: Values) -> Errors:
        """Of every candidate, by its title: in per cent, on rows held out and on test rows."""
        titles = [found.title for found in self.screening.fits]
        held_out = [100.0 * self.problem.loss.wrong(F).mean() for F in self.held_out]
        test = 100.0 * np.mean((self.test > 0) != (y_test > 0), axis=1)
        return dict(zip(titles, zip(held_out, test, strict=True), strict=True))

    def weights(self, keep: Callable[[str], bool], rule: Weights) -> Values:
        """Of the candidates with such titles, zero for the others; of all where none has one."""
        everyone = range(len(self.held_out))
        kept = [i for i in everyone if keep(self.screening.fits[i].title)] or list(everyone)
        weights = np.zeros(len(self.held_out))
        weights[kept] = rule(self.problem.loss, self.held_out[kept])
        return weights


def everything(title: str) -> bool:
    return True


def by_errors(members: int) -> Weights:
    return lambda loss, held_out: weights_by_errors(loss, held_out, members)


def by_loss(prior: float, members: int) -> Weights:
    return lambda loss, held_out: Mixing(loss, held_out, prior).weights(members)


def lowest_loss(loss: LogLoss, held_out: Values) -> Values:
    losses = np.array([loss.value(F) for F in held_out])
    return (losses == losses.min()).astype(float)


def mixed(rule: Weights, keep: Callable[[str], bool] = everything) -> Rule:
    return lambda held: (held.weights(keep, rule) * held.scales) @ held.test


def without(word: str) -> Rule:
    return mixed(by_errors(MEMBERS), lambda title: word not in title)


def kernels_mixed(held: Held) -> Values:
    """One machine on Σ w_j K_j / u_j."""
    weights = held.weights(everything, by_errors(MEMBERS))
    K, K_new = 0.0, 0.0
    for found, weight in zip(held.screening.fits, weights, strict=True):
        if weight > 0:
            table = found.representation.table
            own = found.judged.kernel(held.tables[table])
            unit = float(own.diagonal().mean() - own.mean()) or 1.0
            K = K + weight / unit * own
            K_new = K_new + weight / unit * found.judged.kernel(held.new[table], held.tables[table])
    n = len(held.problem)
    whole = CandidateProblem(
        {"standard": np.arange(n)[:, None]}, held.problem.loss, held.problem.folds
    )
    judged = Representation("standard").judge(lambda X: Precomputed(K), whole, None)
    X, Y, weight = whole.tables["standard"], whole.Y, whole.weight
    machine = KernelMachine.trained("standard", judged.kernel, judged.lam, X, Y, weight)
    values = K_new @ machine.coef + machine.intercept
    return whole.loss.scale(judged.held_out) * values[:, 0]


RULES: dict[str, Rule] = {
    "the lowest loss": mixed(lowest_loss),
    "the fewest errors": mixed(by_errors(1)),
    "mixture of kernels": kernels_mixed,
    "mixture of values by loss, with a prior": mixed(by_loss(PRIOR, MEMBERS)),
    "mixture of values by loss": mixed(by_loss(1e-3, MEMBERS)),
    "mixture of values by errors (default)": mixed(by_errors(MEMBERS)),
    "default with 3 members": mixed(by_errors(3)),
    "default with 5 members": mixed(by_errors(5)),
    "default with all members": mixed(by_errors(100)),
    "default without ranks": without("ranked"),
    "default without ARD": without("ARD"),
    "default without combinations": without("combination"),
    "default without hyperkernels": without("hyperkernel"),
    "default without margins": without("SVM"),
}


def judged(part: TrainTestSplit) -> tuple[Errors, Errors]:
    """Error in per cent and log loss of every rule on one split; errors of the candidates."""
    held, found = Held(part), {}
    for rule, values_of in RULES.items():
        values = values_of(held)
        wrong = 100.0 * float(np.mean((values > 0) != (part.y_test > 0)))
        found[rule] = wrong, float(np.mean(np.logaddexp(0.0, -values * part.y_test)))
    return found, held.errors(part.y_test)


def luck(splits: list[Errors]) -> float:
    """How held-out and test errors go together beyond what is each candidate's and split's."""
    everywhere = sorted(set.intersection(*(set(errors) for errors in splits)))
    errors = np.array([[one[title] for title in everywhere] for one in splits])
    errors -= errors.mean(axis=0)
    errors -= errors.mean(axis=1, keepdims=True)
    held_out, test = errors[..., 0], errors[..., 1]
    sizes = np.linalg.norm(held_out) * np.linalg.norm(test)
    return float((held_out * test).sum() / sizes) if sizes > 0 else float("nan")


def main(folder: Path, splits: int, names: list[str]) -> None:
    tables = load_classes(folder)
    errors: dict[str, dict[str, list[float]]] = {rule: {} for rule in RULES}
    losses: dict[str, list[float]] = {rule: [] for rule in RULES}
    parallel = Parallel(n_jobs=-1)
    for name in names or tables:
        parts = (tables[name].split(index, 0) for index in range(splits))
        each = parallel(delayed(judged)(part) for part in parts)
        for found, _ in each:
            for rule, (wrong, loss) in found.items():
                errors[rule].setdefault(name, []).append(wrong)
                losses[rule].append(loss)
        row = ", ".join(f"{rule} {np.mean(errors[rule][name]):.2f}" for rule in RULES)
        print(f"{name}: {row}; luck {luck([of for _, of in each]):.2f}", flush=True)
    ranks = compare(errors).ranks
    print("\n| rule | mean error | mean rank | mean log loss |\n|---|---|---|---|")
    for rule in RULES:
        mean = np.mean([np.mean(values) for values in errors[rule].values()])
        print(f"| {rule} | {mean:.2f} | {ranks[rule]:.2f} | {np.mean(losses[rule]):.4f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5, sys.argv[3:])
