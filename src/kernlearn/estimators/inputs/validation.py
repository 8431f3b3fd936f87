"""scikit-learn's checks of tables and labels, with a sentence where they have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.exceptions import DTypePromotionError
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.validation import _check_sample_weight, validate_data

from kernlearn.estimators.inputs.cells import check_unique_names
from kernlearn.kernels._validation import is_missing
from kernlearn.solvers.core.problem import LARGEST
from kernlearn.typing import Array, Mask, Rows, Targets

# Options of a check that do not matter for finite numbers.
_HARMLESS = {"accept_sparse", "ensure_all_finite", "reset"}
# Relative size of differences of targets, whose squares keep twelve digits.
_SMALLEST = 1e-140


def validate_table(estimator: BaseEstimator, X: Rows, *y: Rows, **options: Any) -> Rows:
    """The result of scikit-learn's ``validate_data``, for any kinds of columns.

    Overflow warnings are silenced: scikit-learn sums the cells only to see whether all are finite.
    """
    name = type(estimator).__name__
    if getattr(X, "shape", (1, 1))[1:] == (0,):
        raise ValueError(
            f"{name} expected a table with columns, got 0 feature(s) (shape={X.shape}) while a "
            "minimum of 1 is required; pass the columns to learn from"
        )
    check_unique_names(X, "X")
    for target in y:
        check_every_target(estimator, target, options.get("y_numeric", False))
        if not options.get("multi_output"):
            check_one_outcome(estimator, target)
    try:
        with np.errstate(all="ignore"):
            if _is_checked(X, *y, **options):
                reset = options.get("reset", True)
                return validate_data(estimator, X, *y, reset=reset, skip_check_array=True)
            checked = validate_data(estimator, X, *y, **options)
    except DTypePromotionError:
        raise ValueError(
            f"{name} expected columns of numbers, got some that are none, such as dates; convert "
            "them, or give every source of columns a kernel of its own"
        ) from None
    except OverflowError:
        raise _too_large_error(estimator) from None
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise ValueError(
                f"{name} expected a table with rows of one length, got rows of several; pass as "
                "many cells in every row"
            ) from None
        takes_gaps = options.get("ensure_all_finite") == "allow-nan"
        named = _name_text(estimator, X, str(error))
        named = named or _name_cells(estimator, X, str(error), takes_gaps)
        if named is None:
            raise
        raise named from None
    if options.get("y_numeric", False):
        check_squares(estimator, checked[1])
    return checked


def _is_checked(
    X: Rows, y: Rows = None, *, dtype: Any, y_numeric: bool = False, **options: Any
) -> bool:
    """Whether scikit-learn would return plain arrays of numbers as they are.

    The check takes as long as a step of a small fit.
    """
    if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2 or len(X) == 0:
        return False
    if y_numeric or dtype not in ("numeric", np.float64) or not options.keys() <= _HARMLESS:
        return False
    is_plain = y is None or (type(y) is np.ndarray and y.shape == X.shape[:1])
    return is_plain and (y is None or y.dtype.kind in "biuf") and bool(np.isfinite(X).all())


def sample_weights(sample_weight: Rows, X: Rows) -> Array:
    """Weights of the rows of X; ones where none are given."""
    try:
        weights: Array = _check_sample_weight(sample_weight, X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".!")
        raise ValueError(
            f"{reason}; expected sample_weight to be one non-negative number for every row, or "
            "None for rows that count alike"
        ) from None
    if (weights < 0).any() or not (weights > 0).any():
        raise ValueError(
            "expected non-negative sample weights, not all zero, got a smallest of "
            f"{weights.min():g} and a largest of {weights.max():g}; drop rows that should not count"
        )
    return weights


def as_floats(estimator: BaseEstimator, values: Rows) -> Rows:
    """A table or target in double precision, without a copy if it is so already."""
    try:
        return values.astype(float, copy=False)
    except OverflowError:
        raise _too_large_error(estimator) from None


def check_one_outcome(estimator: BaseEstimator, y: Rows) -> None:
    """Refuse several targets for each row, and name an estimator that takes them."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) != 2 or shape[1] < 2:
        return
    several = (
        "sklearn.multioutput.MultiOutputClassifier fits one model to each label"
        if is_classifier(estimator)
        else "kernlearn.KernelRegressor takes several, and learns how they are related"
    )
    raise ValueError(
        f"{type(estimator).__name__} expected one target for each row: y should be a 1d array, "
        f"got an array of shape {tuple(shape)}; {several}"
    )


def check_every_target(estimator: BaseEstimator, y: Rows, numeric: bool) -> None:
    """Refuse targets that are missing, infinite, or text where numbers are expected, by their row.

    scikit-learn names no row, and lets None pass among numbers. Targets that are no array, list or
    series are left to scikit-learn.
    """
    is_of_pandas = hasattr(y, "iloc") or hasattr(y, "to_numpy")  # a series or frame, or an index
    if not (isinstance(y, np.ndarray | list | tuple) or is_of_pandas):
        return
    try:
        cells = np.asarray(y)
    except ValueError:  # rows of several lengths
        return
    if numeric and cells.dtype.kind in "mM":
        raise ValueError(
            f"{type(estimator).__name__} expected numbers in y, got dates or durations; convert "
            "them to numbers, for example to days"
        )
    if cells.size == 0 or cells.ndim == 0 or cells.dtype.kind not in "fOUS":
        return
    flat = cells.reshape(len(cells), -1)
    is_float = cells.dtype.kind == "f"
    unknown = ~np.isfinite(flat) if is_float else _missing_mask(flat)
    if unknown.any():
        rows = np.flatnonzero(unknown.any(axis=1))
        first = flat[unknown][0]
        is_infinite = is_float and not np.isnan(flat[unknown]).any()
        what = "infinity or a value too large for dtype('float64')" if is_infinite else "NaN"
        raise ValueError(
            f"Input y contains {what}. {type(estimator).__name__} expected a "
            f"{'number' if numeric else 'label'} in every row, got {first} in row {rows[0]}"
            f"{_and_more(len(rows))}; leave these rows out of X and y"
        )
    if numeric and not is_float:
        _check_text_is_numbers(estimator, flat)


def _missing_mask(cells: Targets) -> Mask:
    if cells.dtype.kind != "O":
        return np.zeros(cells.shape, dtype=bool)
    return np.array([[is_missing(cell) for cell in row] for row in cells], dtype=bool)


def _check_text_is_numbers(estimator: BaseEstimator, cells: Targets) -> None:
    for row, values in enumerate(cells):
        for value in values:
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"{type(estimator).__name__} expected numbers in y, could not convert string "
                    f"to float: {str(value)!r} in row {row}; labels are what a classifier takes"
                ) from None
            except (TypeError, OverflowError):
                return  # scikit-learn has words for these
    if cells.dtype.kind in "US":  # scikit-learn takes no array of text for numbers
        raise ValueError(
            f"{type(estimator).__name__} expected numbers in y, got text such as "
            f"{str(cells[0, 0])!r}; convert it, for example by np.asarray(y, dtype=float)"
        )


def check_squares(estimator: BaseEstimator, y: Targets) -> None:
    """Refuse targets of a regression whose squares are no numbers."""
    largest = float(np.abs(y).max(initial=0.0))
    if largest > LARGEST:
        raise ValueError(
            f"{type(estimator).__name__} expected targets of a size up to {LARGEST:g}, whose "
            f"squares are numbers, got {largest:.3g}; rescale y"
        )


def check_differences(estimator: BaseEstimator, y: NDArray[np.float64]) -> None:
    """Refuse targets that differ, but by so little that the squares are rounded to zero."""
    if not len(y):
        return
    largest = float(np.abs(y).max(initial=0.0))
    spread = float(np.abs(y - y.mean(axis=0)).max(initial=0.0))
    if 1e-12 * largest < spread < _SMALLEST:
        raise ValueError(
            f"{type(estimator).__name__} expected targets that are equal or differ by "
            f"{_SMALLEST:g} at least, whose squares are numbers, got differences of {spread:.3g} "
            "at most; rescale y"
        )


def _too_large_error(estimator: BaseEstimator) -> ValueError:
    return ValueError(
        f"{type(estimator).__name__} expected numbers that 64 bits can hold, got an integer beyond "
        "them; rescale the data"
    )


def _name_cells(
    estimator: BaseEstimator, X: Rows, reason: str, takes_gaps: bool
) -> ValueError | None:
    """scikit-learn's message about non-finite cells, with their place and a cure.

    None for another error, or if the cells cannot be found.
    """
    what = reason.splitlines()[0]
    if not what.startswith(("Input X contains NaN", "Input X contains infinity")):
        return None
    is_gap = "NaN" in what
    place = _first_bad_cell(X, np.isnan if is_gap else np.isinf)
    if place is None:
        return None
    if not is_gap:
        cure = "correct such cells, or leave "
        cure += "them empty (NaN)" if takes_gaps else "their rows out"
    else:
        cure = "fill the gaps, for example by a SimpleImputer in a pipeline"
        ours = _takes_any_table(estimator)
        cure += f", or take {ours}, which learns from tables with gaps" if ours else ""
    return ValueError(
        f"{what} {type(estimator).__name__} expected a finite number in every cell, got {place}; "
        f"{cure}"
    )


def _takes_any_table(estimator: BaseEstimator) -> str | None:
    """Name of the estimator that learns the same task from tables with gaps and text, if any."""
    if is_classifier(estimator):
        return "KernelClassifier"
    return "KernelRegressor" if is_regressor(estimator) else None


def _name_text(estimator: BaseEstimator, X: Rows, reason: str) -> ValueError | None:
    """scikit-learn's message about text among numbers, with its place and a cure.

    None for another error, or if the text cannot be found.
    """
    if not reason.startswith("could not convert string") and "bytes/strings" not in reason:
        return None
    names = list(getattr(X, "columns", ()))
    cells = np.asarray(X, dtype=object)  # numpy would write the numbers beside text as text
    if cells.ndim != 2:
        return None
    text = np.frompyfunc(_is_text, 1, 1)(cells).astype(bool)
    words = text & ~np.frompyfunc(_reads_as_number, 1, 1)(cells).astype(bool)
    bad = words if words.any() else text
    if not bad.any():
        return None
    row, column = np.argwhere(bad)[0]
    if bad is text:
        cure = "convert them to numbers, for example by np.asarray(X, dtype=float)"
    else:
        cure = "encode such columns, for example by a OneHotEncoder in a pipeline"
        ours = _takes_any_table(estimator)
        cure += f", or pass a data frame to {ours}, for which text is categories" if ours else ""
    return ValueError(
        f"{type(estimator).__name__} expected a number in every cell, got the text "
        f"{str(cells[row, column])!r} in row {row} of column "
        f"{repr(names[column]) if names else column}{_and_more(int(bad.sum()))}; {cure}"
    )


def _is_text(cell: object) -> bool:
    return isinstance(cell, str | bytes)


def _reads_as_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _and_more(count: int) -> str:
    return f" and such in {count - 1} more" if count > 1 else ""


def _first_bad_cell(X: Rows, is_bad: Callable[[Any], Any]) -> str | None:
    """The first such cell of a table, in words; large tables of numbers are not copied."""
    sparse = X.tocoo() if issparse(X) else None
    try:
        cells = np.asarray(X if sparse is None else sparse.data)
        cells = cells if cells.dtype.kind in "biuf" else cells.astype(float)
    except (TypeError, ValueError):
        return None
    bad = is_bad(cells)
    count = int(np.count_nonzero(bad))
    if count == 0 or (sparse is None and cells.ndim != 2):
        return None
    first = int(bad.argmax())
    if sparse is None:
        row, column = np.unravel_index(first, bad.shape)
    else:
        row, column = sparse.row[first], sparse.col[first]
    names = getattr(X, "columns", None)
    name = int(column) if names is None else repr(names[column])
    return f"{cells.flat[first]} in row {row} of column {name}{_and_more(count)}"
