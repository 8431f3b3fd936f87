"""The parameter ``options``: parameters that few fits need, in one object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

from sklearn.base import BaseEstimator

from kernlearn.estimators.inputs.stopping import StoppingParameters


@contextmanager
def explained_options(options: BaseEstimator) -> Iterator[None]:
    """Add to an error how an option that it names is set: the name is none of the estimator's."""
    try:
        yield
    except ValueError as error:
        for name in options.get_params():
            if re.search(rf"\b{name}\b", str(error)):
                error.add_note(f"{name} is an option: options={type(options).__name__}({name}=...)")
        raise


class OptionsParameter(StoppingParameters, BaseEstimator):  # type: ignore[misc]
    """Mixin for estimators with the parameter ``options``, and with a type of options."""

    options: BaseEstimator | None = None
    _options_type: type[BaseEstimator]
    _options_example: str

    def _options_given(self) -> BaseEstimator:
        """The options given, or those that hold by default."""
        if self.options is None:
            return self._options_type()
        if not isinstance(self.options, self._options_type):
            name = self._options_type.__name__
            raise ValueError(
                f"expected options to be None or {name}(...), got {self.options!r}; pass for "
                f"example options={name}({self._options_example})"
            )
        return self.options

    def set_params(self, **params: Any) -> Self:
        """Set parameters by the names of ``get_params``; options passed earlier are not changed.

        Names such as ``options__total`` are known where ``options`` is None, too.
        """
        if "options" in params:
            self.options = params.pop("options")
        mark = "options__"
        within = {key: params.pop(key) for key in list(params) if key.startswith(mark)}
        if within:
            values = {key.removeprefix(mark): value for key, value in within.items()}
            self.options = copy(self._options_given()).set_params(**values)
        super().set_params(**params)
        return self
