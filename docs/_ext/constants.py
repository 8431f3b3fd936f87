"""What a public constant means, from the ``#:`` comment above it, and the names that it holds.

Autodoc reads such a comment only in the module that it documents. Here it is found where the
constant is assigned, below the package that exports it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from sphinx.errors import ExtensionError
from sphinx.pycode import ModuleAnalyzer


def comment(package: str, name: str) -> list[str]:
    """Return the lines of the comment above a constant of a package.

    >>> import kernlearn.quality
    >>> comment("kernlearn.quality", "CRITERIA")[0]
    'Names of the qualities that judge the kernel itself, without a machine.'
    """
    value = getattr(sys.modules[package], name)
    for module in sorted(sys.modules):
        inside = module == package or module.startswith(f"{package}.")
        if inside and vars(sys.modules[module]).get(name) is value:
            found = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name))
            if found:
                return found
    raise ExtensionError(f"expected a comment #: above {name} of {package}, got none: add one")


def names(value: Iterable[str]) -> list[str]:
    """Return lines that list the names in a constant.

    >>> names(("a", "b"))
    ['The names: ``a``, ``b``.', '']
    """
    kind = "keys" if isinstance(value, Mapping) else "names"
    return [f"The {kind}: " + ", ".join(f"``{name}``" for name in value) + ".", ""]


def _document(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    package, _, attribute = name.rpartition(".")
    if what == "data" and package in sys.modules:
        lines[:] = [*comment(package, attribute), *names(value)]


def setup(app: Any) -> dict[str, bool]:
    """Document constants as autodoc asks for their docstrings."""
    app.setup_extension("sphinx.ext.autodoc")  # which has the event
    app.connect("autodoc-process-docstring", _document)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
