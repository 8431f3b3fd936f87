"""Numbers, the learned kernel and its certificate, as the report words them."""

from __future__ import annotations

from kernlearn.inspection._text import plain
from kernlearn.report._facts import Facts

MISSING = "–"
# Metrics in per cent.
SHARES = ("accuracy", "balanced accuracy")
# Metrics with three decimals.
ROUNDED = ("R²", "ROC AUC", "concordance", "Uno's concordance", "integrated Brier score")


def decimal(value: float | None, digits: int = 4) -> str:
    """A number with `digits` significant digits, or a dash.

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
    if metric in ROUNDED and value is not None:
        # Adding zero turns a negative zero into zero.
        return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")
    if value is not None and 1e3 <= abs(value) < 1e9:
        return whole(value).replace("-", "−")
    return percent(value) if metric in SHARES else decimal(value, 3)


def lost_score(value: float | None) -> str:
    """A difference of scores with three decimals, which stand below each other in a table.

    >>> lost_score(0.0334), lost_score(-1e-18), lost_score(1234.5), lost_score(None)
    ('0.033', '0.000', '1\u202f234', '–')
    """
    if value is None or abs(value) >= 10.0:
        return score(value, "")
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")


def interval(entry: Facts, metric: str) -> str:
    """The 95 % interval of a score, or a dash."""
    low, high = entry.number("low"), entry.number("high")
    if low is None or high is None:
        return MISSING
    return f"{score(low, metric)} to {score(high, metric)}"


MOST_COLUMNS = 4
# Shares within this factor of an equal one count as equal.
ALIKE = 1.5
_FRACTIONS = ((1e-9, "a billionth"), (1e-6, "a millionth"), (1e-3, "a thousandth"))


def kernel_words(facts: Facts) -> str:
    """The kernel in words, without a full stop; empty if the facts lack it.

    >>> weights = [{"name": "linear", "weight": 0.5}, {"name": "Gaussian", "weight": 0.0}]
    >>> kernel_words(Facts({"weights": weights}))
    'one of the 2 kernels offered: linear'
    """
    weights = [(e.text("name"), e.number("weight")) for e in facts.parts("weights")]
    known = [(plain(name), weight) for name, weight in weights if weight is not None]
    if known:
        return _mixture(known)
    words = plain(facts.text("kernel")).rstrip(". ")
    shares = [(e.text("name"), e.number("share")) for e in facts.parts("scale_shares")]
    known_shares = [(plain(name), share) for name, share in shares if share is not None]
    if not known_shares:
        return "" if words == "none" else words
    # After the semicolon the facts describe the columns too, but not whether they differ.
    return f"{words.partition('; ')[0]}; {_columns(known_shares)}"


def _mixture(known: list[tuple[str, float]]) -> str:
    used = sorted((pair for pair in known if pair[1]), key=lambda pair: -abs(pair[1]))
    if not used:
        return f"zero: none of the {len(known)} kernels offered has weight"
    if len(used) == 1:
        name = used[0][0]
        return name if len(known) == 1 else f"one of the {len(known)} kernels offered: {name}"
    first, second = (f"{name} (weight {decimal(weight, 3)})" for name, weight in used[:2])
    offered = f"{len(used)} of the {len(known)} kernels offered"
    most = ", with most weight on" if len(used) > 2 else ":"
    return f"a weighted sum of {offered}{most} {first} and {second}"


def _columns(seen: list[tuple[str, float]]) -> str:
    equal = 1.0 / len(seen)
    shares = [share for _, share in seen]
    if max(shares) <= ALIKE * equal and min(shares) >= equal / ALIKE:
        return f"it looks at all {len(seen)} inputs about alike"
    order = sorted(seen, key=lambda pair: -pair[1])
    top = [f"{name} ({percent(share)})" for name, share in order[:MOST_COLUMNS] if share > 0]
    ignored = sum(share == 0 for share in shares)
    rest = f", and not at all at {ignored} of {len(seen)} inputs" if ignored else ""
    return f"it looks most at {', '.join(top)}{rest}"


def optimality_words(facts: Facts) -> str:
    r"""The optimality of the fit in words; empty if it is unknown.

    >>> optimality_words(Facts({"objective": 2.0, "lower_bound": 1.9, "gap": 0.05}))
    'No other kernel of the family can lower the objective by more than 5.0\xa0%.'
    """
    gap = facts.number("gap")
    if facts.number("lower_bound") is not None and gap is not None:
        part = next((words for bound, words in _FRACTIONS if gap <= bound), None)
        start = "can lower the objective by more than"
        if part is None:
            return f"No other kernel of the family {start} {percent(gap)}."
        best = "No other weights have a better value of this objective"
        return f"{best}: none {start} {part} of its value."
    if facts.number("objective") is None or not facts.text("status"):
        return plain(facts.text("sentence"))
    sentence = "The problem is not convex, so a better kernel may exist"
    status = plain(facts.text("status"))
    return (
        f"{sentence}."
        if status.startswith("converged")
        else f"{sentence}; the fit ended so: {status}."
    )
