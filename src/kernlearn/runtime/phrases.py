"""Numbers of things, and lists of them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(n: int, thing: str) -> str:
    """A number of things whose plural ends in s.

    >>> counted(1, "column"), counted(2, "column"), counted(12345, "row"), counted(0, "row")
    ('1 column', '2 columns', '12,345 rows', '0 rows')
    """
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def listed(names: Sequence[str], n_shown: int) -> str:
    """The first `n_shown` names, and the number of others.

    >>> listed(["a", "b", "c", "d"], 2), listed(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    more = len(names) - n_shown
    return ", ".join(names[:n_shown]) + (f" and {more} more" if more > 0 else "")


def p_in_words(p: float) -> str:
    """A p-value with two digits; below some size, a bound.

    >>> p_in_words(0.0431), p_in_words(3e-7), p_in_words(0.0)
    ('p = 0.043', 'p = 3e-07', 'p < 1e-15')
    """
    return f"p = {p:.2g}" if p >= 1e-15 else "p < 1e-15"
