"""What Python prints, and what compiled code writes past it."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator


class CapturedOutput:
    """The text, once the block has ended."""

    text = ""


@contextlib.contextmanager
def captured_output() -> Iterator[CapturedOutput]:
    """Catch everything that is written to the standard output and the standard error."""
    output, printed = CapturedOutput(), io.StringIO()
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(1), os.dup(2)]
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                yield output
        finally:
            for number, old in enumerate(kept, start=1):
                os.dup2(old, number)
                os.close(old)
            file.seek(0)
            output.text = printed.getvalue() + file.read().decode(errors="replace")
