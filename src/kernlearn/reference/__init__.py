"""
The programs of the papers in CVXPY exactly as printed: the oracle of the tests.

One function for each numbered program of Lanckriet et al. (2004), *Learning the Kernel Matrix with
Semidefinite Programming*, JMLR 5, and of Ong, Smola and Williamson (2005), *Learning the Kernel
with Hyperkernels*, JMLR 6. A program is stated as printed, apart from a change of units
(`_margins`) and LMIs on the common range of the matrices (`_lmi`), which keep the solver's digits.
The programs are slow; use them to check, not to work. The values are the papers', twice those of
the rest of the library for Lanckriet's margins. Read the status: the semidefinite programs end now
and then as ``"optimal_inaccurate"``.

=============================  ==========  ==========  =========
quality                        free signs  rank one    positive
=============================  ==========  ==========  =========
general margin                 `eq26`                  `eq27`
hard margin                    `eq31`      `eq32`      `eq33`
1-norm soft margin             `eq36`      `eq37`      `eq38`
2-norm soft margin             `eq41`      `eq42`      `eq43`
2-norm soft margin, τ learned  `eq45`      `eq46`      `eq47`
alignment                      `eq53`      `eq54`      `after_eq56`
=============================  ==========  ==========  =========

Programs over a polytope of weights, Theorem 16 and its consequences, are `eq22` (general margin),
`eq29` (hard), `eq35` (1-norm), `eq40` (2-norm), `eq44` (τ learned) and `eq49` (alignment).

Programs over expansions in a hyperkernel, each with the norm in the hyper-RKHS, are `ong_eq24` and
`ong_eq27` (C-SVM), `ong_eq28` (ν-SVM), `ong_eq29` (Lagrangian SVM), `ong_eq30` (one-class),
`ong_eq31` (ν-regression), `ong_eq32` (alignment) and `ong_before_eq8` (least squares);
`ong_lemma7` is the C-SVM over coefficients of any sign.

The program on pairs of Kondor and Jebara (2007), *Gaussian and Wishart Hyperkernels*, section 5, is
`kondor_section5`.

The kernel of largest determinant, Lanckriet's section 7 over weights, is `max_determinant`; that
over precision matrices, with labels, is `labelled_determinant`.

The substitution matrix that Cawley and Talbot (2014), *Kernel Learning at the First Level of
Inference*, propose in section 4, by their criterion (5), is `substitution_matrix`.

`positive_weights_program` and `fixed_kernel_program` do the same for the other machines, in the
library's own convention. All of them need CVXPY: ``pip install "kernlearn[reference]"``.
"""

from kernlearn.reference.alignment import after_eq56, eq53, eq54
from kernlearn.reference.convex_sets import eq22, eq29, eq35, eq40, eq44, eq49
from kernlearn.reference.labelled_determinant import labelled_determinant
from kernlearn.reference.machine_programs import fixed_kernel_program, positive_weights_program
from kernlearn.reference.machines import MACHINES
from kernlearn.reference.margins import (
    eq26,
    eq27,
    eq31,
    eq32,
    eq33,
    eq36,
    eq37,
    eq38,
    eq41,
    eq42,
    eq43,
    eq45,
    eq46,
    eq47,
)
from kernlearn.reference.max_determinant import max_determinant
from kernlearn.reference.ong_classifiers import (
    ong_eq24,
    ong_eq27,
    ong_eq28,
    ong_eq29,
    ong_lemma7,
)
from kernlearn.reference.ong_others import ong_before_eq8, ong_eq30, ong_eq31, ong_eq32
from kernlearn.reference.pair_hinge import kondor_section5
from kernlearn.reference.solution import ReferenceSolution
from kernlearn.reference.substitution_matrix import substitution_matrix

__all__ = [
    "MACHINES",
    "ReferenceSolution",
    "after_eq56",
    "eq22",
    "eq26",
    "eq27",
    "eq29",
    "eq31",
    "eq32",
    "eq33",
    "eq35",
    "eq36",
    "eq37",
    "eq38",
    "eq40",
    "eq41",
    "eq42",
    "eq43",
    "eq44",
    "eq45",
    "eq46",
    "eq47",
    "eq49",
    "eq53",
    "eq54",
    "fixed_kernel_program",
    "kondor_section5",
    "labelled_determinant",
    "max_determinant",
    "ong_before_eq8",
    "ong_eq24",
    "ong_eq27",
    "ong_eq28",
    "ong_eq29",
    "ong_eq30",
    "ong_eq31",
    "ong_eq32",
    "ong_lemma7",
    "positive_weights_program",
    "substitution_matrix",
]
