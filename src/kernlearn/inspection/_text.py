"""Text on axes that is data: shown as it is, never read as markup."""

from __future__ import annotations

import unicodedata
from typing import Any

from kernlearn.inspection._matplotlib import Axes, Legend

# For whatever sets a text of matplotlib: a dollar sign is a dollar sign, also where the user's
# style hands texts to LaTeX.
AS_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}
# Most characters that leave room for the picture beside them.
LONGEST = 40

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_BREAKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"
# These turn round the direction of all that follows, beyond the name that holds them.
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_NOT_SHOWN = ("Cc", "Cs", "Cn")


def plain(value: object, longest: int | None = None) -> str:
    r"""Data on one line, in characters that every reader can show.

    Control characters and lone surrogates are replaced. A text that is too long keeps both ends,
    since names often differ in the last characters only.

    >>> plain("a\x00b\tc"), plain("pressure at noon in room 12", longest=20)
    ('a\ufffdb c', 'pressure at … oom 12')
    """
    text = "".join(_shown(character) for character in str(value))
    if longest is None or len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - 3 - tail].rstrip()} … {text[-tail:].lstrip()}"


def _shown(character: str) -> str:
    if character in _BREAKS:
        return " "
    hidden = character in _TURNS or unicodedata.category(character) in _NOT_SHOWN
    return "\ufffd" if hidden else character


def axis_label(label: object) -> str:
    """A name, fit for a place beside an axis."""
    return plain(label, LONGEST)


def legend_label(label: object) -> str:
    """The label; matplotlib leaves out those that begin with an underscore, so a space leads."""
    text = axis_label(label)
    return f" {text}" if text.startswith("_") else text


def plain_legend(ax: Axes, **options: Any) -> Legend:
    """A legend in which a dollar sign is a dollar sign."""
    legend: Legend = ax.legend(**{"frameon": False, **options})
    for text in legend.get_texts():
        text.update(AS_TEXT)
    return legend


def power_of_ten(value: float, _position: object = None) -> str:
    """A tick of a logarithmic axis in plain characters.

    >>> power_of_ten(1e-6), power_of_ten(0.01), power_of_ten(100.0)
    ('10⁻⁶', '0.01', '100')
    """
    if 0.001 <= value <= 1000.0:
        return f"{value:g}"
    mantissa, exponent = f"{value:.0e}".split("e")
    raised = str(int(exponent)).translate(_RAISED)
    return f"10{raised}" if mantissa == "1" else f"{mantissa}·10{raised}"
