"""The picture of docs/hyperkernels.md: Figure 1 of Ong, Smola and Williamson (2005).

Run ``python examples/hyperkernel_scales.py FILE.png``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kernlearn.papers.ong2005.figure1 import draw_figure1


def main(path: str) -> None:
    print(draw_figure1(Path(path)))


if __name__ == "__main__":
    main(sys.argv[1])
