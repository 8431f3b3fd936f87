"""Parameters of several estimators are documented once, in their base class."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

Entries = dict[str, list[str]]


def inherit_entries(cls: type) -> None:
    """Complete the docstring of an estimator by those of its base classes.

    A parameter that the docstring does not describe is described as in the nearest base class that
    does. The attributes of base classes without a `fit` of their own follow those of the class.
    """
    if cls.__doc__ is None or not {"__init__", "fit"} & vars(cls).keys():
        return
    bases = [each for each in cls.__mro__[1:] if each is not object]
    parameters: Entries = {}
    attributes: Entries = {}
    for each in (cls, *bases):
        lines = inspect.cleandoc(vars(each).get("__doc__") or "").splitlines()
        parameters = entries(lines, "Parameters") | parameters
        if each is cls or "fit" not in vars(each):
            attributes |= _without(entries(lines, "Attributes"), attributes)
    taken = [name for name in inspect.signature(cls).parameters if name in parameters]
    text = inspect.cleandoc(cls.__doc__).splitlines()
    text = _with_section(text, "Parameters", (parameters[name] for name in taken))
    text = _with_section(text, "Attributes", attributes.values())
    cls.__doc__ = "\n".join(text)


def entries(lines: list[str], section: str) -> Entries:
    """The lines of each entry of a section, by its name.

    >>> entries(["Parameters", "----------", "tol : float", "    The gap."], "Parameters")
    {'tol': ['tol : float', '    The gap.']}
    """
    found: Entries = {}
    name = ""
    for line in lines[slice(*_bounds(lines, section))]:
        if line and not line.startswith(" "):
            name = line.split(" :")[0]
        if line:
            found.setdefault(name, []).append(line)
    return found


def _without(found: Entries, known: Entries) -> Entries:
    """Entries none of whose names is known."""
    names = {name for names in known for name in names.split(", ")}
    return {each: text for each, text in found.items() if names.isdisjoint(each.split(", "))}


def _bounds(lines: list[str], section: str) -> tuple[int, int]:
    """First and last line of the entries of a section; both at the end if there is none."""
    headers = [i - 1 for i, line in enumerate(lines) if i and re.fullmatch("-{3,}", line)]
    for place, here in enumerate(headers):
        if lines[here] == section:
            return here + 2, headers[place + 1] if place + 1 < len(headers) else len(lines)
    return len(lines), len(lines)


def _with_section(lines: list[str], section: str, texts: Iterable[list[str]]) -> list[str]:
    """A docstring with these entries in a section that it has."""
    start, end = _bounds(lines, section)
    if start == len(lines):
        return lines
    return [*lines[:start], *(line for text in texts for line in text), "", *lines[end:]]
