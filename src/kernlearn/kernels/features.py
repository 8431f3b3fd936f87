"""A kernel on the output of a transformer."""

from __future__ import annotations

import pickle
from collections.abc import Hashable

from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from kernlearn.kernels._composite import _Wrapper, with_parts
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import check_things
from kernlearn.kernels.base import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Table, Things


class Features(_Wrapper):
    r"""The kernel on the output of a transformer, :math:`k(\varphi(x), \varphi(z))`.

    Any transformer of scikit-learn that needs no targets: a vectoriser of text, an encoder of
    categories, a scaler, a pipeline of several, a descriptor of your own. An estimator fits a clone
    of it to its training rows; equal transformers of the same columns are fitted once, however many
    kernels use them. Sparse output stays sparse where the kernel takes it.

    Parameters
    ----------
    transformer : transformer
        φ. It is not changed. One that is to stay as it is, a descriptor trained elsewhere, say,
        comes as ``sklearn.frozen.FrozenEstimator(transformer)``.
    kernel : Kernel
        The kernel k on its output.

    Notes
    -----
    Values held out in closed form by one fit, such as `LSSVMClassifier`'s leave-one-out, come from
    the kernel of that fit, whose transformer has seen all of its training rows; that is why it
    never sees their targets.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from kernlearn.kernels import Features, Linear
    >>> k = Features(CountVectorizer(), Linear()).fitted_to(["a good hat", "a hat of wool"])
    >>> k(["good wool", "hat, hat"], ["good hat"])
    array([[1.],
           [2.]])
    """

    takes_things = True

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether the transformer takes sparse tables."""
        return bool(get_tags(_first_step(self.transformer)).input_tags.sparse)

    def __init__(self, transformer: BaseEstimator, kernel: Kernel) -> None:
        self.transformer = transformer
        self.kernel = kernel

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.transformer, type) or not hasattr(self.transformer, "transform"):
            raise ValueError(
                f"Features must be given a transformer, got {self.transformer!r}; pass an object "
                "with fit and transform, such as TfidfVectorizer()."
            )

    def _fitted(self, X: Table) -> Kernel:
        if isinstance(self.transformer, FrozenEstimator):
            frozen = self.transformer
        else:
            frozen = shared(("fit", _content(self.transformer)), lambda: self._trained(X), X)
        fitted = with_parts(self, transformer=frozen)
        return with_parts(fitted, kernel=self.kernel.fitted_to(fitted.transformed(X)))

    def _trained(self, X: Table) -> FrozenEstimator:
        """A fitted clone of the transformer; its output is left where `transformed` finds it."""
        inputs = self._transformer_input(X)
        transformer = clone(self.transformer)
        if get_tags(transformer).target_tags.required:
            raise ValueError(
                f"Features fits transformers without targets, got {transformer!r}, which needs "
                "them; put it into a Pipeline in front of the estimator."
            )
        try:
            if hasattr(transformer, "fit_transform"):
                output = transformer.fit_transform(inputs)
            else:
                output = transformer.fit(inputs).transform(inputs)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"Features could not fit {transformer!r} to {counted(X.shape[0], 'row')}: {error}; "
                "change its parameters or the column that it reads."
            ) from error
        frozen = FrozenEstimator(transformer)
        shared("transform", lambda: output, transformer, X)
        return frozen

    def _evaluate(self, X: Table, Y: Table) -> Array:
        values = self.transformed(X)
        return self.kernel(values, values if Y is X else self.transformed(Y))

    def _diag(self, X: Table) -> Array:
        return self.kernel.diag(self.transformed(X))

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """The transformer's features of the rows, if the kernel takes their inner products."""
        return self.kernel.sparse_rows(self.transformed(X))

    def transformed(self, X: Table) -> Table:
        """The output of the fitted transformer for a table."""
        transformer = self.transformer
        if isinstance(transformer, FrozenEstimator):
            transformer = transformer.estimator
        try:
            check_is_fitted(transformer)
        except NotFittedError:
            raise ValueError(
                f"Features must be fitted before it is called, got {transformer!r} as it was "
                "made; call kernel.fitted_to(X_train) first, as the estimators do."
            ) from None
        values: Table = shared(
            "transform", lambda: transformer.transform(self._transformer_input(X)), transformer, X
        )
        n_rows = getattr(values, "shape", (type(values).__name__,))[0]
        if n_rows != X.shape[0]:
            raise ValueError(
                f"Features' transformer must return as many rows as it was given, {X.shape[0]}, "
                f"got {n_rows} from {transformer!r}; choose one that keeps the rows."
            )
        return values

    def _transformer_input(self, X: Table) -> Table | list[object]:
        """The input of the transformer: the table, or a list if it reads one thing a row."""
        first = _first_step(self.transformer)
        tags = get_tags(first).input_tags
        if tags.two_d_array and X.ndim == 2:
            return X
        things = check_things(X, "X")
        if tags.string and getattr(first, "input", "content") == "content":
            _check_text(things)
        return list(things)


def _first_step(transformer: BaseEstimator) -> BaseEstimator:
    """The transformer that reads the data: the tags of a pipeline do not describe its inputs."""
    if isinstance(transformer, FrozenEstimator):
        return _first_step(transformer.estimator)
    if isinstance(transformer, Pipeline):
        return _first_step(transformer.steps[0][1])
    if isinstance(transformer, FeatureUnion):
        return _first_step(transformer.transformer_list[0][1])
    return transformer


def _check_text(things: Things) -> None:
    for i, thing in enumerate(things):
        if not isinstance(thing, str | bytes):
            raise ValueError(
                f"X must hold text in every row, got {thing!r} in row {i}; drop such rows, or fill "
                "them, for example with X.fillna('')."
            )


def _content(transformer: BaseEstimator) -> Hashable:
    """The identity of a transformer: its parameters, since clones are other objects."""
    try:
        return pickle.dumps(clone(transformer))
    except Exception:  # a function without a name cannot be pickled; its id identifies it
        return id(transformer)
