"""Numbers as the report writes them."""

from __future__ import annotations

from kernlearn.report._facts import Facts

MISSING = "–"
# Metrics that are told in per cent.
SHARES = ("accuracy", "balanced accuracy")


def decimal(value: float | None, digits: int = 4) -> str:
    """A number with so many significant digits, or a dash.

    >>> decimal(3.14159), decimal(None), decimal(-1e-9)
    ('3.142', '–', '−1e−09')
    """
    return MISSING if value is None else f"{value:.{digits}g}".replace("-", "−")


def whole(value: float | None) -> str:
    """A count, with thin gaps between thousands."""
    return MISSING if value is None else f"{value:,.0f}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    r"""A share in per cent; no line breaks before the sign.

    >>> percent(0.97561), percent(1.0)
    ('97.6\xa0%', '100.0\xa0%')
    """
    return MISSING if value is None else f"{100.0 * value:.1f}\u00a0%".replace("-", "−")


def duration(seconds: float | None) -> str:
    """A time that a person can read.

    >>> duration(0.034), duration(75.0), duration(None)
    ('0.03 s', '1 min 15 s', '–')
    """
    if seconds is None:
        return MISSING
    if seconds < 0.01:
        return "under 0.01 s"
    if seconds < 60.0:
        return f"{seconds:.2f} s" if seconds < 10.0 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def score(value: float | None, metric: str) -> str:
    r"""A score in the units of its metric: a share for an accuracy, a number otherwise.

    >>> score(0.5, "accuracy"), score(-2.8e-05, "R²"), score(1234.5, "mean squared error")
    ('50.0\xa0%', '0.000', '1\u202f234')
    """
    if metric in ("R²", "ROC AUC") and value is not None:
        # Adding zero turns a negative zero into zero.
        return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")
    if value is not None and 1e3 <= abs(value) < 1e9:
        return whole(value).replace("-", "−")
    return percent(value) if metric in SHARES else decimal(value, 3)


def interval(entry: Facts, metric: str) -> str:
    """The 95 % interval of a score, or a dash."""
    low, high = entry.number("low"), entry.number("high")
    if low is None or high is None:
        return MISSING
    return f"{score(low, metric)} to {score(high, metric)}"
