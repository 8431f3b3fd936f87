"""Which candidates take part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernlearn.estimators.inputs.ownership import own_kernel
from kernlearn.estimators.mixture.candidates.family import KernelFamily
from kernlearn.estimators.mixture.candidates.registry import ARD, FAMILIES, LOG_TARGET
from kernlearn.kernels import Kernel


@dataclass(frozen=True)
class CandidateChoice:
    """Who takes part."""

    families: list[KernelFamily]  # one at least
    stretches: bool = False  # whether scales of columns are learned, too
    logarithms: bool = False  # whether logarithms of skewed amounts are learned, too


def chosen_families(candidates: object, labels: bool = True) -> CandidateChoice:
    """Those that a user names.

    `candidates` is "auto" for all of the registry, scales and logarithms, or a sequence of names
    and kernels, which are families of one. Machines with a margin learn `labels` only.

    Examples
    --------
    >>> chosen = chosen_families(["Gaussian", "ARD"])
    >>> [family.name for family in chosen.families], chosen.stretches, chosen.logarithms
    (['Gaussian'], True, False)
    """
    suited = {name: one for name, one in FAMILIES.items() if labels or not one.has_margin}
    if isinstance(candidates, str) and candidates == "auto":
        return CandidateChoice(list(suited.values()), True, not labels)
    known = (*suited, ARD) if labels else (*suited, ARD, LOG_TARGET)
    if isinstance(candidates, str) or not isinstance(candidates, Sequence):
        raise ValueError(
            f"expected candidates to be 'auto' or a list of names and kernels, got {candidates!r}; "
            f"the names are {', '.join(known)}"
        )
    families: list[KernelFamily] = []
    for one in candidates:
        if isinstance(one, Kernel):
            families.append(_family_of(own_kernel(one)))
        elif isinstance(one, str) and one in known:
            families += [suited[one]] if one in suited else []
        else:
            raise ValueError(
                f"expected candidates to hold kernels and names among {', '.join(known)}, got "
                f"{one!r}; choose some of them"
            )
    stretch = ARD in candidates
    if not families and stretch:
        # Scales alone: the kernels that are tried with them.
        families = [family for family in suited.values() if family.stretches]
    if not families and candidates:
        # Logarithms alone: of what is tried anyway.
        families = list(suited.values())
    if not families:
        raise ValueError("expected one candidate at least, got none; try candidates='auto'")
    return CandidateChoice(families, stretch, LOG_TARGET in candidates)


def _family_of(kernel: Kernel) -> KernelFamily:
    name = " ".join(repr(kernel).split())
    sparse = kernel.takes_sparse
    return KernelFamily(name, lambda X, c: kernel, ranks=False, takes_sparse=sparse, is_given=True)
