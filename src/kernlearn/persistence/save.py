"""Write a model to a file."""

from __future__ import annotations

import os
from collections.abc import Sequence

from kernlearn.persistence._conversion import with_stand_ins
from kernlearn.persistence._file import ModelFileError, pack
from kernlearn.persistence.registry import trusted_names
from kernlearn.runtime.atomic_files import atomic_file
from kernlearn.runtime.optional import load_skops


def save(model: object, path: str | os.PathLike[str], *, trusted: Sequence[type] = ()) -> None:
    """Write an estimator, a pipeline or a kernel to a file that is safe to read.

    The file takes its name only once it is complete, so that a file of that name is never half
    written. It holds arrays and numbers, no code: an estimator is saved without its ``callback``.
    Needs the extra ``io``.

    Parameters
    ----------
    model : object
        An estimator of this library, fitted or not, a scikit-learn pipeline that holds one, a
        kernel, or what `learn_weights` returns.
    path : path
        Name of the file; one of that name is replaced.
    trusted : sequence of type, optional
        Classes from elsewhere that the model holds, such as a kernel of your own. Whoever reads
        the file has to name them too.

    Raises
    ------
    ModelFileError
        If the model holds something that could not be read again.
    OSError
        If the file cannot be written; nothing is left behind.

    See Also
    --------
    kernlearn.load : Reads the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import kernlearn as kl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kl.save(kl.kernels.Gaussian(gamma=0.5), Path(folder) / "kernel")
    ...     kl.load(Path(folder) / "kernel")
    Gaussian(gamma=0.5)
    """
    skops = load_skops("writing a model file")
    try:
        payload = skops.dumps(with_stand_ins(model))
        refused = set(skops.get_untrusted_types(data=payload)) - set(trusted_names(trusted))
    except Exception as error:
        raise ModelFileError(
            f"could not save {type(model).__name__}: it holds something that has no safe form in a "
            f"file ({error}); replace functions and open files by objects that hold numbers"
        ) from error
    if refused:
        raise ModelFileError(
            f"could not save {type(model).__name__}: it holds {', '.join(sorted(refused))}, which "
            "kernlearn does not know; pass trusted=[...] with those classes to save and to load"
        )
    with atomic_file(path) as file:
        file.write(pack(payload, type(model).__name__))
