"""What every command that draws a picture checks first."""

from __future__ import annotations

from pathlib import Path

from kernlearn.cli.failure import NO_RESULT, fail
from kernlearn.inspection._matplotlib import use_files_only

__all__ = ["check_picture"]


def check_picture(picture: Path) -> None:
    """Refuse before the work what would fail after it."""
    if picture.is_dir() or not picture.parent.is_dir() or not picture.suffix:
        fail(
            f"could not draw {picture}: expected the name of a file in an existing folder, with an "
            "ending such as .png or .svg.",
            NO_RESULT,
        )
    try:
        use_files_only()
    except ImportError as error:
        fail(f"could not draw {picture}: {error}", NO_RESULT)
