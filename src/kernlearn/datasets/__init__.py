"""Data sets of the reproduced papers: loaders from a folder of the user's, and generators.

The folder a loader reads has this layout (a file is needed only when it is asked for)::

    DIR/uci_class/ionosphere.csv.gz          comma separated, one header row, the class last
    DIR/uci_class/sonar.csv.gz
    DIR/uci_class/statlog_heart.csv.gz
    DIR/uci_class/wisconsin_original.csv.gz  first column `id`; a missing cell is `?`
    DIR/text/reuters_modapte.jsonl.gz        one object a line: split, topics, title, body
    DIR/text/reuters_modapte_bow.npz         word counts of the same documents

Without a folder the four tables are fetched from OpenML by
:func:`sklearn.datasets.fetch_openml`.
"""

from kernlearn.datasets.data_set import DataSet
from kernlearn.datasets.folder import DataNotFoundError
from kernlearn.datasets.reuters import ReutersCorpus, load_reuters, load_reuters_counts
from kernlearn.datasets.twonorm import make_twonorm
from kernlearn.datasets.uci import UCI_NAMES, load_uci

__all__ = [
    "UCI_NAMES",
    "DataNotFoundError",
    "DataSet",
    "ReutersCorpus",
    "load_reuters",
    "load_reuters_counts",
    "load_uci",
    "make_twonorm",
]
