"""What a fit through landmarks tells of its rank, as JSON values."""

from __future__ import annotations

from typing import Any

from kernlearn.methods.words import finite
from kernlearn.runtime.phrases import counted

__all__ = ["landmark_facts"]

# A fall of the loss by less than this part of it, with twice the landmarks, is next to nothing.
FLAT = 0.01


def landmark_facts(estimator: Any) -> dict[str, Any] | None:
    """Rank and held-out loss by rank; None where the fit was exact, or does not tell.

    Parameters
    ----------
    estimator : estimator
        Fitted.

    Returns
    -------
    dict or None
        ``{"rank", "losses", "sentence"}``, where losses are a list of ``[rank, loss]``.
    """
    rank, losses = getattr(estimator, "rank_", None), getattr(estimator, "loss_by_rank_", None)
    if rank is None or losses is None:
        return None
    pairs = zip(losses["rank"].tolist(), losses["loss"].tolist(), strict=True)
    known = [[int(each), float(loss)] for each, loss in pairs if finite(loss) is not None]
    n_sparse = sum(points is None for points in getattr(estimator, "landmarks_", ()))
    sentence = _sparse(int(rank), n_sparse) if n_sparse else _sentence(int(rank), known)
    return {"rank": int(rank), "losses": known, "sentence": sentence}


def _sparse(rank: int, n_sparse: int) -> str:
    """What landmarks were needed for.

    >>> _sparse(0, 1)
    '1 kernel of sparse features was taken as it is, without landmarks.'
    >>> _sparse(64, 2)
    '2 kernels of sparse features were taken as they are; the others were seen through 64 \
landmarks.'
    """
    taken = "was taken as it is" if n_sparse == 1 else "were taken as they are"
    said = f"{counted(n_sparse, 'kernel')} of sparse features {taken}"
    if rank == 0:
        return f"{said}, without landmarks."
    return f"{said}; the others were seen through {counted(rank, 'landmark')}."


def _sentence(rank: int, losses: list[list[float]]) -> str:
    """Whether more landmarks would help.

    >>> _sentence(8, [[4, 0.5], [8, 0.4]])
    'The kernel was seen through 8 landmarks. From 4 to 8 the held-out squared error fell by 20 %: \
more of them would help; --memory and --time-limit allow for more.'
    """
    said = f"The kernel was seen through {counted(rank, 'landmark')}"
    if len(losses) < 2 or losses[-2][1] <= 0:
        return f"{said}."
    (before, first), (after, last) = losses[-2:]
    fall = 1.0 - last / first
    percent = f"{100 * max(fall, 0.0):.2g} %"
    change = f"From {before} to {after} the held-out squared error fell by {percent}"
    if fall < FLAT:
        return f"{said}. {change}: more of them would help little."
    return f"{said}. {change}: more of them would help; --memory and --time-limit allow for more."
