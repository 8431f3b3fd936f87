"""Read a model from a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kernlearn.persistence._conversion import without_stand_ins
from kernlearn.persistence._file import MAGIC, ModelFileError, check_magic, unpack
from kernlearn.persistence._payload import PayloadError, check_payload
from kernlearn.persistence._trial_predictions import check_model
from kernlearn.persistence.registry import trusted_names
from kernlearn.runtime.optional import load_skops
from kernlearn.typing import Json


def load(path: str | os.PathLike[str], *, trusted: Sequence[type] = ()) -> Any:
    """Read what :func:`kernlearn.save` wrote; no code from the file is run.

    A fitted model is tried on two of its own rows, so that one whose parts do not fit together is
    refused here and not by ``predict``.

    The file may name types of this library, of scikit-learn and numpy, and those in `trusted`; a
    file that names any other is refused before anything is built.

    Parameters
    ----------
    path : path
        Name of the file.
    trusted : sequence of type, optional
        Classes from elsewhere that you vouch for, such as a kernel of your own.

    Returns
    -------
    model : object
        The object as it was saved; its predictions are the same to the last bit. A model of
        ``kernlearn fit`` has ``predict`` and its like for the table as it comes, a data frame of
        ``pandas.read_csv`` with its dates, categories, empty cells and further columns; labels are
        those of the table.

    Raises
    ------
    ModelFileError
        If the file is of another kind or a newer format, is cut short or altered, or holds a type
        that is not trusted.
    OSError
        If the file cannot be read.

    See Also
    --------
    kernlearn.save : Writes the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import kernlearn as kl
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> model = kl.MKLClassifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kl.save(model, Path(folder) / "model")
    ...     again = kl.load(Path(folder) / "model")
    >>> bool((again.decision_function(X) == model.decision_function(X)).all())
    True
    """
    name = Path(path).name
    header, payload = _checked_file(Path(path))
    allowed = trusted_names(trusted)
    skops = load_skops("reading a model file")
    try:
        named = set(skops.get_untrusted_types(data=payload))
        refused = named - set(allowed)
        if not refused:
            # Only the types that the file names: skops goes through the list for every object.
            model = without_stand_ins(skops.loads(payload, trusted=sorted(named)))
            if not trusted:  # what classes from elsewhere do with a row is not ours to judge
                check_model(model)
            return model
    except ImportError:
        raise
    except Exception as error:
        raise _unreadable(name, header, error) from error
    raise ModelFileError(
        f"{name} holds {', '.join(sorted(refused))}, which kernlearn does not trust; nothing "
        "of it was run: pass trusted=[...] with those classes if you know where it comes from"
    )


def _checked_file(path: Path) -> tuple[Json, bytes]:
    """Header and payload of a file that is whole, and takes no more memory than its size."""
    name = path.name
    header, payload = unpack(_content(path, name), name)
    try:
        check_payload(payload)
    except PayloadError as error:
        raise ModelFileError(
            f"{name} could not be rebuilt: {error}; it was not written by kernlearn, or altered: "
            "get it again, or fit and save the model again"
        ) from error
    return header, payload


def _content(path: Path, name: str) -> bytes:
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
        check_magic(start, name)  # before all of a device or a large file of another kind is read
        return start + file.read()


def _unreadable(name: str, header: Any, error: Exception) -> ModelFileError:
    made = header["versions"]
    by = ", ".join(f"{package} {number}" for package, number in made.items()) or "unknown versions"
    return ModelFileError(
        f"{name} could not be rebuilt ({type(error).__name__}: {error}); it was made with {by}: "
        "use those versions, or fit and save the model again"
    )
