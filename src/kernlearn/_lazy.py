"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(
    package: str, homes: Mapping[str, tuple[str, ...]], public: list[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package, from its modules and the names they define.

    Modules of the package are attributes too, as they are after an import of them.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> object:
        if name in home:
            return getattr(import_module(home[name]), name)
        module = f"{package}.{name}"
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:  # the module exists; a package that it needs does not
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)

    return get, lambda: sorted({*public, *vars(import_module(package))})
