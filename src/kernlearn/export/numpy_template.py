"""The parts of the Python file that are the same for all models."""

# Dates like 2024-01-31, with times and zones.
ISO_DATES = "ISO 8601"

HEADER = """
import base64
import zlib
from datetime import datetime, timezone
from decimal import Decimal

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
        if isinstance(X, (list, tuple)) or len(np.shape(X)) == 1:
            break  # a source of one thing for each row
        X = _column(X, name)
    return X


def _column(X, name):
    """A column or a source by its name, or by its number where columns have no names."""
    if isinstance(name, int):
        return X.iloc[:, name] if hasattr(X, "iloc") else np.asarray(X, dtype=object)[:, name]
    if hasattr(X, "iloc") and name not in X:
        names = [str(each) for each in X.columns]
        if name in names:
            return X.iloc[:, names.index(name)]
    return X[name]


def _table(X, place, width):
    """A table of numbers, NaN where missing; it may be a sparse matrix."""
    cells = _cells(X, place)
    rows = np.asarray(cells.toarray() if hasattr(cells, "toarray") else cells, dtype=float)
    if rows.ndim == 1 and width == 1:
        rows = rows.reshape(-1, 1)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"expected a table of {width} columns, got shape {rows.shape}")
    return rows


def _numbers(X, place, notation=None):
    """A column of numbers, NaN where missing; dates and durations in days."""
    cells = np.asarray(_cells(X, place))
    if cells.dtype.kind in "OUT":
        cells = [_number(cell, notation) for cell in cells.ravel().tolist()]
        cells = np.array(cells, dtype=float)
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


def _number(cell, notation=None):
    """A cell of a column of objects: a number, a date, a time, a duration, or missing."""
    if _is_missing(cell):
        return np.nan
    if isinstance(cell, str):
        return _written(cell.strip(), notation)
    cell = getattr(cell, "start_time", cell)
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        cell = cell.astype(f"{cell.dtype.kind}8[us]").item()
    if hasattr(cell, "total_seconds"):
        return cell.total_seconds() / 86400.0
    if not hasattr(cell, "toordinal"):
        if not hasattr(cell, "hour"):
            return float(cell)
        cell = datetime(1970, 1, 1, cell.hour, cell.minute, cell.second, cell.microsecond)
    if getattr(cell, "tzinfo", None) is not None:
        cell = cell.astimezone(timezone.utc).replace(tzinfo=None)
    return (np.datetime64(cell, "us") - np.datetime64(0, "us")) / np.timedelta64(1, "D")


def _written(text, notation):
    """A number or a date that is text, written as in the training rows."""
    try:
        if notation is None:
            return float(text)
        if notation == "true or false":
            return {"true": 1.0, "false": 0.0}[text.lower()]
        if notation == "ISO 8601":
            return _number(datetime.fromisoformat(text))
        if "1" not in notation:
            return _number(datetime.strptime(text, notation))
        example = next(one for one in ("1,234.5", "1.234,5", "1234.5") if one in notation)
        for sign in notation.split(example):
            text = text.replace(sign.strip(), "", 1) if sign.strip() else text
        text = "".join(text.split())
        if example == "1.234,5":
            text = text.replace(".", "").replace(",", ".")
        return float(text.replace(",", ""))
    except (KeyError, ValueError):
        like = "a number" if notation is None else f"a cell written like {notation}"
        raise ValueError(
            f"expected {like}, got {text!r}; correct it, or leave the cell empty"
        ) from None


def _as_text(cell):
    if _is_missing(cell):
        return ""
    is_whole = isinstance(cell, (float, np.floating, Decimal)) and cell == cell // 1
    return str(int(cell)) if is_whole else str(cell)


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
