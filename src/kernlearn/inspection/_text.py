"""Text on axes that is data: shown as it is, never read as markup."""

from __future__ import annotations

from typing import Any

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(value: float, _position: Any = None) -> str:
    """A tick of a logarithmic axis in plain characters.

    >>> power_of_ten(1e-6), power_of_ten(0.01), power_of_ten(100.0)
    ('10⁻⁶', '0.01', '100')
    """
    if 0.001 <= value <= 1000.0:
        return f"{value:g}"
    mantissa, exponent = f"{value:.0e}".split("e")
    raised = str(int(exponent)).translate(_RAISED)
    return f"10{raised}" if mantissa == "1" else f"{mantissa}·10{raised}"


def legend_label(label: Any) -> str:
    """The label; matplotlib leaves out those that begin with an underscore, so a space leads."""
    text = str(label)
    return f" {text}" if text.startswith("_") else text


def plain_legend(ax: Any, **options: Any) -> Any:
    """A legend in which a dollar sign is a dollar sign."""
    legend = ax.legend(frameon=False, **options)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend
