"""What threads have in common."""

from __future__ import annotations

import time
import warnings
from concurrent.futures import ThreadPoolExecutor

from kernlearn._threads import quiet_about


def test_filters_of_warnings_are_as_before_whichever_thread_ends_first():
    before = list(warnings.filters)

    def work(seconds):
        with quiet_about(UserWarning):
            time.sleep(seconds)
            warnings.warn("not to be seen", UserWarning, stacklevel=1)

    with ThreadPoolExecutor(2) as pool:  # who comes last would restore what the first had set
        list(pool.map(work, [0.02, 0.1]))
    assert list(warnings.filters) == before
