"""What an estimator of combinations can do with a family of kernels that are made on demand."""

from __future__ import annotations

from typing import Any

from kernlearn.quality.registry import CRITERIA


def check_family_choices(estimator: Any) -> None:
    """Refuse what needs all matrices at once.

    A price for every kernel proves a bound for positive weights of a machine that has a value at
    every kernel, and for nothing else.
    """
    family = type(estimator.kernels).__name__
    refused = None
    if estimator.weights == "free":
        refused = "weights='free'", "use weights='positive'"
    elif estimator.quality in (*CRITERIA, "hard_margin"):
        cure = "use quality='soft_margin', with a large C for a hard margin"
        refused = f"quality={estimator.quality!r}", cure
    elif isinstance(estimator.C, str) and estimator.C == "learn":
        refused = "C='learn'", "give C a number, or use C='auto'"
    elif estimator.missing is not None:
        refused = f"missing={estimator.missing!r}", "impute the missing cells first"
    elif estimator.psd in ("clip", "shift"):
        refused = f"psd={estimator.psd!r}", "leave indefinite kernels out of the family"
    elif estimator.certify is not None:
        refused = f"certify={estimator.certify!r}", "use certify=None"
    if refused is not None:
        what, cure = refused
        raise ValueError(
            f"expected a list of kernels with {what}, got a family ({family}), whose kernels are "
            f"looked at one by one; {cure}, or pass a list"
        )
