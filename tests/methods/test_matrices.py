"""Kernel matrices from files: what is none gets a sentence before it is read whole."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

from kernlearn.inspection import kernel_label
from kernlearn.methods.matrices import read_matrices
from kernlearn.tables import TableError

K = np.array([[2.0, 1.0], [1.0, 2.0]])


def stored(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def zipped():
    buffer = io.BytesIO()
    np.savez(buffer, K=K)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("k.npy", stored(K)),
        ("k.NPY", stored(K.astype(int))),
        ("k.txt", b"2 1\n1 2\n"),
        ("k.csv", b"2,1\n1,2"),
    ],
)
def test_matrices(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    (kernel,) = read_matrices([tmp_path / name], 2)
    np.testing.assert_array_equal(kernel([[0], [1]]), K)
    assert kernel_label(kernel) == "k"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("k.npy", zipped(), r"k\.npy holds no array of numpy\.save, whatever its name says"),
        ("k.npy", pickle.dumps(K), "holds no array of numpy.save"),
        ("k.npy", b"", "holds no array of numpy.save"),
        ("k.npy", stored(K)[:-4], "holds no matrix of numbers"),
        ("k.npy", stored(K)[:20], "holds no matrix of numbers"),
        ("k.npy", stored(np.array([[None, 1], [1, 2]])), "holds no matrix of numbers"),
        ("k.npy", stored(K + 0.1j * K), "holds no kernel matrix: .* real numbers, got complex"),
        ("k.npy", stored(np.eye(3)), r"expected a kernel matrix of shape \(2, 2\) in k\.npy"),
        ("k.npy", stored(K).replace(b"(2, 2)", b"(2e5,)"), "holds no matrix of numbers"),
        ("k.npy", stored(K).replace(b"(2, 2), }", b"(99999, 99999), }"), "holds no matrix"),
        ("k.npy", stored(K).replace(b"(2, 2), }     ", b"(2, 2), } 4), "), "holds no matrix"),
        ("k.npy", stored(K).replace(b"(2, 2), }", b"(2, 2)\0 }"), "holds no matrix"),
        ("k.txt", b"1 x\n2 3\n", "k.txt holds no matrix of numbers"),
        ("k.txt", b"1 2\n3\n", "k.txt holds no matrix of numbers"),
        ("k.txt", b"\xff\xfe", "k.txt holds no matrix of numbers"),
        ("k.txt", b"", r"shape \(2, 2\) in k.txt"),
    ],
)
def test_what_is_no_matrix(name, content, sentence, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=sentence):
        read_matrices([tmp_path / name], 2)
