"""What every command that draws a picture checks first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernlearn.cli.failure import NO_RESULT, fail
from kernlearn.cli.output import check_outputs
from kernlearn.inspection._matplotlib import picture_formats, use_files_only

__all__ = ["check_picture"]


def check_picture(picture: Path, inputs: Sequence[Path] = ()) -> None:
    """Refuse before the work what would fail after it, and what would destroy an input."""
    if picture.is_dir() or not picture.parent.is_dir() or not picture.suffix:
        fail(
            f"could not draw {picture}: expected the name of a file in an existing folder, with an "
            "ending such as .png or .svg.",
            NO_RESULT,
        )
    check_outputs([picture], inputs)
    try:
        use_files_only()
    except ImportError as error:
        fail(f"could not draw {picture}: {error}", NO_RESULT)
    known = picture_formats()
    if picture.suffix.lower().lstrip(".") not in known:
        fail(
            f"could not draw {picture}: expected a name that ends in one of "
            f"{', '.join(f'.{ending}' for ending in known)}; .png is usual.",
            NO_RESULT,
        )
