"""One module per reproduced paper: its protocol, its published numbers, its experiments.

A new paper is one module that defines ``PAPER`` and one line in `PAPERS`.
"""

from kernlearn.papers.cawley2014 import PAPER as CAWLEY_2014
from kernlearn.papers.defaults import PAPER as DEFAULTS
from kernlearn.papers.exhibits import Exhibit, Paper, RunOptions
from kernlearn.papers.fusion import PAPER as FUSION
from kernlearn.papers.kondor2007 import PAPER as KONDOR_2007
from kernlearn.papers.lanckriet2004 import PAPER as LANCKRIET_2004
from kernlearn.papers.ong2005 import PAPER as ONG_2005
from kernlearn.papers.rivals import PAPER as RIVALS

__all__ = ["PAPERS", "Exhibit", "Paper", "RunOptions", "find_paper"]

#: Every paper and comparison that ``kernlearn reproduce`` runs, by its name.
PAPERS: dict[str, Paper] = {
    paper.name: paper
    for paper in (CAWLEY_2014, DEFAULTS, FUSION, KONDOR_2007, LANCKRIET_2004, ONG_2005, RIVALS)
}


def find_paper(name: str) -> Paper:
    """Return a reproduced paper by its name.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> find_paper("lanckriet2004").numbers("table")
    [1, 2, 3, 4]
    """
    if name not in PAPERS:
        raise ValueError(f"unknown paper {name!r}: choose from {', '.join(sorted(PAPERS))}.")
    return PAPERS[name]
