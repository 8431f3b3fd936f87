"""The learned kernel and its certificate, in words that can be read aloud."""

from __future__ import annotations

from kernlearn.inspection._text import plain
from kernlearn.report._facts import Facts
from kernlearn.report._numbers import decimal, percent

MOST_COLUMNS = 4
# Shares within this factor of an equal one differ too little to be told as a story.
ALIKE = 1.5
_FRACTIONS = ((1e-9, "a billionth"), (1e-6, "a millionth"), (1e-3, "a thousandth"))


def kernel_words(facts: Facts) -> str:
    """What the kernel is, without a full stop; empty where the facts do not say.

    >>> weights = [{"name": "linear", "weight": 0.5}, {"name": "Gaussian", "weight": 0.0}]
    >>> kernel_words(Facts({"weights": weights}))
    'one of the 2 kernels offered: linear'
    """
    weights = [(e.text("name"), e.number("weight")) for e in facts.parts("weights")]
    known = [(plain(name), weight) for name, weight in weights if weight is not None]
    if known:
        return _mixture(known)
    words = plain(facts.text("kernel")).rstrip(". ")
    shares = [(e.text("name"), e.number("relevance")) for e in facts.parts("relevances")]
    seen = [(plain(name), share) for name, share in shares if share is not None]
    if not seen:
        return "" if words == "none" else words
    # After the semicolon the facts tell of the columns too, but not whether they differ.
    return f"{words.partition('; ')[0]}; {_columns(seen)}"


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
    r"""What is known of how good the fit is as an optimum; empty where nothing is.

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
    said = "The problem is not convex, so a better kernel may exist"
    status = plain(facts.text("status"))
    return f"{said}." if status.startswith("converged") else f"{said}; the fit ended so: {status}."
