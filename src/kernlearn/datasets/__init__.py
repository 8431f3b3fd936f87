"""Data sets of the reproduced papers: loaders from a folder of the user's, and generators.

The folder a loader reads has this layout (a file is needed only when it is asked for)::

    DIR/uci_class/ionosphere.csv.gz          comma separated, one header row, the class last
    DIR/uci_class/sonar.csv.gz
    DIR/uci_class/statlog_heart.csv.gz
    DIR/uci_class/wisconsin_original.csv.gz  first column `id`; a missing cell is `?`
    DIR/uci_class/NAME.csv.gz                likewise pima, wdbc, new_thyroid, crx and glass
    DIR/uci_reg/NAME.csv.gz                  auto_mpg, boston_housing, imports85, cpu_machine, servo
    DIR/ida/NAME.npz                         X, y, train, test, partition, note; thirteen sets
    DIR/misc/ripley_synth.npz                X_train, y_train, X_test, y_test; labels 0 and 1
    DIR/images/mnist_3v8.npz                 X, bytes of 28 by 28 pixels; y, 3 or 8
    DIR/images/att_faces.npz                 X, bytes of 112 by 92 pixels; y, people from 0 to 39
    DIR/images/usps.npz                      X_train, y_train, X_test, y_test; grey values in 1/1000
    DIR/text/reuters_modapte.jsonl.gz        one object a line: split, topics, title, body
    DIR/text/reuters_modapte_bow.npz         word counts of the same documents
    DIR/multiview/NAME.npz                   y, and one array for each view; see papers.fusion.data

Without a folder the tables and the digits are fetched from OpenML by
``sklearn.datasets.fetch_openml``, and the faces, smaller, by
``sklearn.datasets.fetch_olivetti_faces``.
"""

from kernlearn.datasets.folder import DataNotFoundError
from kernlearn.datasets.generators import make_two_scales, make_twonorm
from kernlearn.datasets.ida import IDA_NAMES, load_ida, load_ripley
from kernlearn.datasets.images import UspsDigits, load_att_faces, load_mnist_3v8, load_usps
from kernlearn.datasets.reuters import ReutersCorpus, load_reuters, load_reuters_counts
from kernlearn.datasets.sets import DataSet, ImageSet, PartitionedSet, RegressionSet
from kernlearn.datasets.uci import (
    UCI_NAMES,
    UCI_REGRESSION_NAMES,
    load_uci,
    load_uci_regression,
)

__all__ = [
    "IDA_NAMES",
    "UCI_NAMES",
    "UCI_REGRESSION_NAMES",
    "DataNotFoundError",
    "DataSet",
    "ImageSet",
    "PartitionedSet",
    "RegressionSet",
    "ReutersCorpus",
    "UspsDigits",
    "load_att_faces",
    "load_ida",
    "load_mnist_3v8",
    "load_reuters",
    "load_reuters_counts",
    "load_ripley",
    "load_uci",
    "load_uci_regression",
    "load_usps",
    "make_two_scales",
    "make_twonorm",
]
