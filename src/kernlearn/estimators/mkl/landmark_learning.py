"""Combinations of kernels where Gram matrices of all rows would be too large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kernlearn._checks import check_settings, learns_C
from kernlearn._cluster import Chunked
from kernlearn._device import telling_of_memory
from kernlearn.estimators.inputs.on_cluster import a_few, check_here
from kernlearn.estimators.inputs.on_device import OnDevice
from kernlearn.estimators.inputs.read_once import at_rows, fitted_transformers, reads
from kernlearn.estimators.mkl.choices import ROWS_FOR_C, ChoosesByHeldOutRows
from kernlearn.estimators.mkl.column_pairs import pair_kernels
from kernlearn.estimators.mkl.equal_share import even_shares
from kernlearn.estimators.mkl.low_rank import (
    centre_of,
    check_certify,
    chosen_rank,
    rows_for_C,
    store_low_rank,
    with_points_of,
)
from kernlearn.estimators.mkl.problem import Candidates, Labelled
from kernlearn.families.kernel_pool import KernelPool, is_family
from kernlearn.families.stack import GramStack
from kernlearn.gram import gram_stack
from kernlearn.kernels import Kernel, WeightedSum
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._validation import take_rows
from kernlearn.runtime.warnings import warn_if_unfinished
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.nystroem.family import learn_family_through_landmarks
from kernlearn.solvers.nystroem.learn import LOW_RANK_QUALITIES, learn_through_landmarks
from kernlearn.solvers.nystroem.learned import Learned
from kernlearn.solvers.nystroem.request import Request
from kernlearn.solvers.weights.choice_of_C import FACTORS, PATH_TOL
from kernlearn.typing import Array

BANK_ROWS = 5000  # as many as the choice of a bank ever looks at
# What a kernel without weight keeps of its landmarks when a fit is repeated: it may yet get some.
FEW_LANDMARKS = 64


@dataclass(frozen=True, eq=False)
class Chosen:
    """What a fit through landmarks has chosen, for a fit to more rows of the same kind.

    Attributes
    ----------
    kernels : sequence of Kernel
        The bank, pairs of columns included, and what it says of its widths.
    notes : list of str or None
        What was said of the bank.
    C : float
        C.
    loss_by_C : ndarray or None
        What it was chosen by.
    share : float
        Of the weight, what all sources have equally.
    ranks : tuple of int
        Landmarks of each kernel.
    weights : ndarray
        Where to begin.
    """

    kernels: Sequence[Kernel]
    notes: list[str] | None
    C: float
    loss_by_C: Array | None
    share: float
    ranks: tuple[int, ...]
    weights: Array


class LearnsThroughLandmarks(ChoosesByHeldOutRows, OnDevice):
    """The part of `KernelCombination` that sees kernels through landmarks."""

    nu: float = 0.3
    epsilon_: Any = None  # of a tube, which regressors alone have
    center: bool
    constraint: str
    missing: str | None = None
    equal_share: Any = 0.0
    rank: Any = None
    certify: str | None = None
    rank_: int | None
    landmarks_: list[Any]
    weights_: Array
    kernels_: Sequence[Kernel]
    kernel_: Any
    bank_notes_: list[str]
    status_: Any
    C_: float
    # Of another fit, for this one alone.
    _taken_over: Chosen | None = None
    # Methods of the whole that are used here.
    _checked_total: Any
    _pool: Any
    _prepared_kernels: Any
    _problem: Any
    _store_certificate: Any

    def _chosen_rank(self, rows: Any, n_rows: int, X_unlabeled: Any) -> int | str | None:
        """The rank of the factors, or None for the exact solver."""
        obstacle = None
        if X_unlabeled is not None:
            obstacle = "X_unlabeled"
        elif self.missing is not None:
            obstacle = f"missing={self.missing!r}"
        elif not (
            isinstance(rows, np.ndarray | Chunked) or hasattr(rows, "iloc") or issparse(rows)
        ):
            obstacle = f"rows that are a {type(rows).__name__}"
        elif learns_C(self.quality, self.C):
            obstacle = "C='learn'"
        elif self.quality not in LOW_RANK_QUALITIES:
            obstacle = f"quality={self.quality!r}"
        return chosen_rank(self.rank, n_rows, obstacle)

    def _chosen(self) -> Chosen | None:
        """What this fit has chosen; None where it was exact, or of sources and their own choices.

        A kernel that has no weight has had its chance with all its landmarks, and keeps few.
        """
        if self.rank_ is None or is_family(self.kernels) or self.center or self._n_views():
            return None
        # What transformers read, and sparse rows, are looked at in a way of their own.
        if any(map(reads, self.kernels_)) or any(issparse(p) or p is None for p in self.landmarks_):
            return None
        sizes = [len(points) for points in self.landmarks_]
        pairs = zip(sizes, self.weights_, strict=True)
        ranks = tuple(size if weight else min(size, FEW_LANDMARKS) for size, weight in pairs)
        own = vars(self)
        found = own.get("bank_notes_"), self.C_, own.get("loss_by_C_"), own.get("equal_share_", 0.0)
        return Chosen(self.kernels_, *found, ranks, self.weights_)

    def _take_over(self, chosen: Chosen) -> None:
        """Let the next fit, which is through landmarks, learn weights and machines alone."""
        self._taken_over = chosen

    def _learn_through_landmarks(
        self, rows: Any, ys: Sequence[Array], weight: Array, rank: int | str, control: Control
    ) -> Learned:
        """The same as `_learn` where Gram matrices would be too large."""
        check_here(self, rows)
        points = centre_of(rows, self._seed) if self.center else a_few(rows, BANK_ROWS)
        self.__dict__.pop("loss_by_C_", None)  # of an earlier fit
        chosen = self.__dict__.pop("_taken_over", None)
        source = self._on_its_device(rows)
        with telling_of_memory():
            if is_family(self.kernels):
                pool = self._pool(rows, len(weight), points)
                self._note_share(float(self._wanted_share()))  # which no family has but of zero
                C = self.C
                if self._chooses_C():
                    C = self._C_of_sample(pool, Labelled(rows, ys, weight), control)
                request = self._request(ys, weight, rank, pool.n_matrices, C)
                found = learn_family_through_landmarks(source, pool, ys, request, control)
                kernels, weights = found.kernels, found.solution.weights[found.active]
                learned: Learned = found
            elif chosen is not None:
                request = self._request_again(chosen, ys, weight)
                kernels = list(self.kernels_)
                learned = learn_through_landmarks(source, kernels, ys, request, control)
                weights = learned.solution.weights
            else:
                self.kernels_ = kernels = self._bank_of_sample(rows, points, ys, weight)
                seen, sample = kernels, Labelled(rows, ys, weight)
                once = issparse(source) or (_is_table(source) and any(map(reads, kernels)))
                if once:
                    seen, source = at_rows(kernels, source)
                    sample = Labelled(source, ys, weight)
                request = self._request_of_list(seen, sample, rank, control)
                request = replace(request, explicit=once)
                with np.errstate(all="ignore"):  # what is no number is stepped back from
                    learned = learn_through_landmarks(source, seen, ys, request, control)
                _check_numbers(learned.solution.coef)
                if once:
                    learned = with_points_of(learned, rows)
                weights = learned.solution.weights
        self._store_certificate(learned.solution, learned.solution)
        self.kernel_ = WeightedSum(kernels, weights)
        store_low_rank(self, learned)
        self.C_ = learned.C
        if len(learned.loss_by_C):
            self.loss_by_C_ = learned.loss_by_C
        elif chosen is not None and chosen.loss_by_C is not None:
            self.loss_by_C_ = chosen.loss_by_C
        warn_if_unfinished(
            type(self).__name__,
            self.status_,
            control.stopping,
            learned.solution.gap,
            control.tol,
            stacklevel=4,
        )
        return learned

    def _request(
        self,
        ys: Sequence[Array],
        weight: Array,
        rank: int | str | list[int],
        m: int,
        C: Any,
        factors_of_C: tuple[float, ...] = (),
    ) -> Request:
        """What is to be learned of m kernels through landmarks."""
        free, share = self.weights == "free", getattr(self, "equal_share_", 0.0)
        return Request(
            quality=self.quality,
            settings=check_settings(self.quality, C, self.nu, self.epsilon_, weight, ys),
            rank=rank,
            free_sign=free,
            constraint=self.constraint,
            total=self._checked_total(),
            start=self._warm_start(m),
            random_state=self._seed,
            exact_bound=check_certify(self.certify, free),
            held_out=self.quality != "one_class",
            factors_of_C=factors_of_C,
            least=share * even_shares(self.kernels_) if share else None,
        )

    def _request_of_list(
        self, kernels: Sequence[Kernel], labelled: Labelled, rank: int | str, control: Control
    ) -> Request:
        """The same for the kernels of a list, whose C may be looked for."""
        chooses, in_closed_form = self._chooses_C(), self.quality == "least_squares"
        C = 1.0 if chooses else self.C
        wanted = self._wanted_share()
        if (chooses and not in_closed_form) or isinstance(wanted, str):
            found = self._C_of_sample(kernels, labelled, control)
            C = C if in_closed_form else found
        else:
            self._note_share(wanted)
        factors = FACTORS if chooses and in_closed_form else ()
        ys, weight = labelled.targets, labelled.weight
        return self._request(ys, weight, rank, len(kernels), C, factors)

    def _request_again(self, chosen: Chosen, ys: Sequence[Array], weight: Array) -> Request:
        """What is left to learn where an earlier fit has chosen kernels, ranks and C."""
        self.kernels_ = list(chosen.kernels)
        if chosen.notes is not None:
            self.bank_notes_ = list(chosen.notes)
        self._note_share(chosen.share)
        ranks = [min(rank, len(weight)) for rank in chosen.ranks]
        request = self._request(ys, weight, ranks, len(ranks), chosen.C)
        return replace(request, start=chosen.weights)

    def _bank_of_sample(
        self, rows: Any, points: Any, ys: Sequence[Array], weight: Array
    ) -> list[Kernel]:
        """The kernels, a bank among them chosen by a sample of the rows."""
        # Rows of one order, so every n-th of them.
        few = np.linspace(0, len(weight) - 1, min(len(weight), BANK_ROWS)).astype(int)
        bank = Labelled(take_rows(rows, few), [y[few] for y in ys], weight[few])
        kernels = self._prepared_kernels(points, bank)
        if self.kernels is None and not self.center and not self._n_views():
            kernels += self._pair_kernels(bank, kernels[-1])
        if _is_table(rows):
            kernels = fitted_transformers(kernels, rows)
        with sharing():
            return [kernel.fitted_to(points) for kernel in kernels]

    def _pair_kernels(self, bank: Labelled, whole: Kernel) -> list[Kernel]:
        """What pairs of columns say together, where a bank is chosen for many rows."""
        if all(np.ptp(y) == 0 for y in bank.targets):
            return []
        table = np.asarray(bank.X, dtype=float)
        kernels, pairs = pair_kernels(table, bank.targets, bank.weight, whole, self._seed)
        if pairs:
            named = ", ".join(f"{i} and {j}" for i, j in pairs)
            self.bank_notes_.append(f"columns {named} have kernels of their own, as pairs")
        return kernels

    def _C_of_sample(
        self, kernels: Sequence[Kernel] | KernelPool, labelled: Labelled, control: Control
    ) -> float:
        """C, and the share that sources have equally, by the exact path on a sample of the rows."""
        ys, weight = labelled.targets, labelled.weight
        n_kept = 1 if isinstance(kernels, KernelPool) else len(kernels)
        # Shares are told apart by smaller differences than values of C.
        most = None if isinstance(self._wanted_share(), str) else ROWS_FOR_C
        few = rows_for_C(ys, n_kept, self._seed, most)
        family: GramStack | KernelPool
        if isinstance(kernels, KernelPool):
            family = kernels.on_rows(few)
        else:
            family = GramStack(gram_stack(kernels, take_rows(labelled.X, few)))
        total = self._checked_total()
        if total is not None and self.constraint == "trace":
            total *= len(few) / len(weight)  # the trace of the same kernel on fewer rows
        candidates = Candidates(family, total, lambda C: None)
        problem = self._problem([y[few] for y in ys], weight[few], candidates)
        rough = replace(control, tol=max(control.tol, PATH_TOL))
        return float(self._solved(problem, rough, sampled=True)[0])


def _check_numbers(coef: Array) -> None:
    if not np.isfinite(coef).all():
        raise ValueError(
            "expected kernels of sizes that a machine can be trained on, got some on which its "
            "coefficients are no numbers; rescale the columns first, for example with "
            "sklearn.preprocessing.StandardScaler"
        )


def _is_table(rows: Any) -> bool:
    """Whether the rows are all here, on the host."""
    return isinstance(rows, np.ndarray) or hasattr(rows, "iloc")
