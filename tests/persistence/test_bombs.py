"""A model file takes no more memory than its own size warrants."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.sparse
import skops.io
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

import kernlearn as kl
from kernlearn.kernels import Gaussian, Precomputed
from kernlearn.persistence import ModelFileError
from kernlearn.persistence._file import pack

ZEROS = bytes(1_000_000)


def payload_of(model):
    return skops.io.dumps(model)


def archive(members, compression=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for name, content in members.items():
            if isinstance(content, list):
                with file.open(name, "w") as member:
                    for piece in content:
                        member.write(piece)
            else:
                file.writestr(name, content)
    return buffer.getvalue()


def members_of(payload):
    with zipfile.ZipFile(io.BytesIO(payload)) as file:
        return {name: file.read(name) for name in file.namelist()}


def overlapping():
    """A hundred members that share the bytes of one."""
    content = archive({"schema.json": "{}", "0.npy": ZEROS})
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        first = file.getinfo("0.npy")
        place = file.start_dir
    entry = content[content.rindex(b"PK\x01\x02") : content.rindex(b"PK\x05\x06")]
    assert entry.endswith(b"0.npy")
    assert first.file_size == len(ZEROS)
    directory = content[place : content.rindex(b"PK\x05\x06")]
    copies = b"".join(entry.replace(b"0.npy", b"%03d.n" % i) for i in range(99))
    end = bytearray(content[content.rindex(b"PK\x05\x06") :])
    end[8:10] = end[10:12] = (101).to_bytes(2, "little")
    end[12:16] = len(directory + copies).to_bytes(4, "little")
    return content[:place] + directory + copies + bytes(end)


def larger_header():
    members = members_of(payload_of(Precomputed(np.eye(30))))
    name = next(name for name in members if name.endswith(".npy"))
    members[name] = members[name].replace(b"(30, 30), }", b"(900000, 900), }")
    return archive(members)


def read_again_and_again():
    members = members_of(payload_of([np.zeros(50_000)]))
    schema = json.loads(members["schema.json"])
    (node,) = schema["content"]
    node.pop("__id__")
    schema["content"] = [node] * 2000
    members["schema.json"] = json.dumps(schema)
    return archive(members)


def sparse_bomb():
    members = members_of(payload_of([scipy.sparse.eye(50).tocsr()]))
    name = next(name for name in members if name.endswith(".npz"))
    with zipfile.ZipFile(io.BytesIO(members[name])) as file:
        parts = {part: file.read(part) for part in file.namelist()}
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(0))
    header = buffer.getvalue().replace(b"(0,), }", b"(7500000,), }")
    parts["data.npy"] = [header, *[ZEROS] * 60]
    members[name] = archive(parts, zipfile.ZIP_DEFLATED)
    return archive(members)


BOMBS = {
    "compressed schema": lambda: archive(
        {"schema.json": [b'{"a": "', *[b" " * 1_000_000] * 60, b'"}']}, zipfile.ZIP_DEFLATED
    ),
    "compressed array": lambda: archive(
        {"schema.json": "{}", "0.npy": [ZEROS] * 20}, zipfile.ZIP_BZIP2
    ),
    "overlapping": overlapping,
    "larger header": larger_header,
    "read again and again": read_again_and_again,
    "sparse": sparse_bomb,
}


SENTENCES = {
    "compressed schema": "is compressed",
    "compressed array": "is compressed",
    "overlapping": "its members claim 100000002 bytes",
    "larger header": "claims 6480000000 bytes in a member",
    "read again and again": "800256000 bytes would be read",
    "sparse": "its sparse matrix .* claims 60001",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_is_unpacked(name, tmp_path):
    content = pack(BOMBS[name](), "Gaussian")
    (tmp_path / "x").write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=f"x could not be rebuilt: .*{SENTENCES[name]}"):
            kl.load(tmp_path / "x")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * len(content) + 15_000_000


@pytest.mark.parametrize(
    "shape", [b"(900000, 900), }", b"(-1, 900), }    ", b"(1, 2, 3, 4, 9**9", b"(99**99, 2), }  "]
)
def test_headers_of_arrays(shape, tmp_path):
    members = members_of(payload_of(Precomputed(np.eye(30))))
    name = next(name for name in members if name.endswith(".npy"))
    members[name] = members[name].replace(b"(30, 30), }     ", shape)
    (tmp_path / "x").write_bytes(pack(archive(members), "Precomputed"))
    with pytest.raises(ModelFileError, match="x could not be rebuilt"):
        kl.load(tmp_path / "x")


def test_a_member_twice(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("schema.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("schema.json", "{}")
    (tmp_path / "x").write_bytes(pack(buffer.getvalue(), "Gaussian"))
    with pytest.raises(ModelFileError, match=r"its member 'schema\.json' is there twice"):
        kl.load(tmp_path / "x")


def test_genuine_files_pass(tmp_path):
    K = np.eye(40)
    shared = [Precomputed(K), Precomputed(K), np.array(["a", "bb"]), np.zeros((0, 3))]
    counts = scipy.sparse.csr_matrix(np.tri(30, 6))
    pipeline = make_pipeline(TfidfTransformer()).fit(counts)
    for model in (shared, pipeline, scipy.sparse.eye(20_000).tocsr(), Gaussian(2.0)):
        kl.save(model, tmp_path / "x", trusted=[scipy.sparse.csr_matrix])
        kl.load(tmp_path / "x", trusted=[scipy.sparse.csr_matrix])


@pytest.mark.parametrize("versions", [None, 5, [1], "x"])
def test_a_header_of_another_shape(versions, tmp_path, monkeypatch):
    monkeypatch.setattr("kernlearn.persistence._file.versions", lambda packages: versions)
    (tmp_path / "x").write_bytes(pack(b"payload", "Gaussian"))
    with pytest.raises(ModelFileError, match="x has a header without versions"):
        kl.load(tmp_path / "x")


def test_a_deeply_nested_header(tmp_path, monkeypatch):
    monkeypatch.setattr(json, "dumps", lambda header: "[" * 100_000)
    content = pack(b"payload", "Gaussian")
    monkeypatch.undo()
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ModelFileError, match="x has a header that is not JSON"):
        kl.load(tmp_path / "x")


def test_a_deeply_nested_schema(tmp_path):
    payload = archive({"schema.json": "[" * 100_000})
    (tmp_path / "x").write_bytes(pack(payload, "Gaussian"))
    with pytest.raises(ModelFileError, match="x could not be rebuilt"):
        kl.load(tmp_path / "x")


def test_a_device_is_not_read_to_its_end():
    with pytest.raises(ModelFileError, match="zero is not a kernlearn model file"):
        kl.load("/dev/zero")
