"""The parts of the Python file that are the same for all models."""

HEADER = """
import base64
import zlib
from datetime import timezone

import numpy as np
"""

CLASSIFIER = '''
def predict(X):
    """Labels of rows: an array, or columns by name, such as a data frame or a dict."""
    return _outputs(X)[0]


def predict_proba(X):
    """Probabilities of the classes, a column for each."""
    return _outputs(X)[1]
'''

REGRESSOR = '''
def predict(X):
    """Numbers for rows: an array, or columns by name, such as a data frame or a dict."""
    return _outputs(X)[0]
'''

RUNNING = '''
def _outputs(X, size=256):
    """What is predicted, for few rows at a time."""
    read = [
READS
    ]
    with np.errstate(all="ignore"):
        starts = range(0, max(len(read[0]), 1), size)
        blocks = [_block(*(each[i : i + size] for each in read)) for i in starts]
    return [np.concatenate(parts) for parts in zip(*blocks)]
'''

READING = '''
def _cells(X, place):
    for name in place:
        if isinstance(X, (list, tuple)) or (len(np.shape(X)) == 1 and not hasattr(X, "keys")):
            break  # a source of one thing for each row
        X = X[name]
    return X


def _table(X, place, width):
    """A table of numbers, NaN where missing; it may be a sparse matrix."""
    cells = _cells(X, place)
    rows = np.asarray(cells.toarray() if hasattr(cells, "toarray") else cells, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"expected a table of {width} columns, got shape {rows.shape}")
    return rows


def _numbers(X, place):
    """A column of numbers, NaN where missing; dates and durations in days."""
    cells = np.asarray(_cells(X, place))
    if cells.dtype == object:
        cells = np.array([_number(cell) for cell in cells.ravel().tolist()], dtype=float)
    if cells.dtype.kind == "M":
        cells = cells - np.datetime64(0, "D")
    if cells.dtype.kind == "m":
        cells = cells / np.timedelta64(1, "D")
    return cells.astype(float).reshape(-1, 1)


def _text(X, place):
    """A column of categories as text, empty where missing; 1 and 1.0 are one category."""
    cells = np.asarray(_cells(X, place), dtype=object).ravel().tolist()
    return np.array([_as_text(cell) for cell in cells], dtype=str).reshape(-1, 1)


def _is_missing(cell):
    return cell is None or (not isinstance(cell, str) and str(cell) in ("nan", "NaT", "<NA>"))


def _number(cell):
    """A cell of a column of objects: a number, a date, a duration, or missing."""
    if _is_missing(cell):
        return np.nan
    if hasattr(cell, "total_seconds"):
        return cell.total_seconds() / 86400.0
    if not hasattr(cell, "toordinal"):
        return float(cell)
    if getattr(cell, "tzinfo", None) is not None:
        cell = cell.astimezone(timezone.utc).replace(tzinfo=None)
    return (np.datetime64(cell, "us") - np.datetime64(0, "us")) / np.timedelta64(1, "D")


def _as_text(cell):
    if _is_missing(cell):
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell == cell // 1 else str(cell)


def _codes(cells, levels):
    """The number of each level, that of all others last."""
    numbers = {level: number for number, level in enumerate(levels.tolist())}
    return np.array([numbers.get(cell, len(numbers)) for cell in cells.ravel().tolist()], dtype=int)


def _with_rows(x, places, rows):
    found = x.copy()
    found[places] = rows
    return found


def _array(dtype, shape, text):
    """An array from the text of its compressed numbers."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=dtype).reshape(shape)
'''
