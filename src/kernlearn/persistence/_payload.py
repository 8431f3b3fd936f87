"""A payload is looked over before any of it is unpacked.

Members are stored as they are, so nothing in a genuine file is larger than the file. A file that
claims more would take memory out of proportion to its size: compressed members, members that share
their bytes, arrays whose header names more numbers than follow, members that are read again and
again. Only sparse matrices are compressed, in archives of their own within a member.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import IO, Any

import numpy as np

SCHEMA = "schema.json"
# Limits on the size of a sparse matrix beyond its member. Indices in a row compress well.
SPARSE_RATIO, SPARSE_ROOM = 20, 2**20


class PayloadError(ValueError):
    """A payload claims more than it holds; the message says what, as a part of a sentence."""


def check_payload(payload: bytes) -> None:
    """Refuse a payload that would take more memory than its own size warrants."""
    try:
        with zipfile.ZipFile(io.BytesIO(payload)) as archive:
            sizes = _checked_sizes(archive, len(payload))
            for name in sizes:
                if name.endswith(".npy"):
                    with archive.open(name) as member:
                        _check_array(member, sizes[name], name)
                elif name.endswith(".npz"):
                    _check_sparse(archive.read(name), name)
            schema = json.loads(archive.read(SCHEMA)) if SCHEMA in sizes else None
    except PayloadError:
        raise
    except Exception as error:  # whatever a reader of archives, arrays or JSON stumbles over
        raise PayloadError(f"it is no archive that can be read ({error})") from error
    read = sum(sizes.get(name, 0) for name in _files_read(schema))
    if read > len(payload):
        raise PayloadError(f"{read} bytes would be read of the {len(payload)} that it has")


def _checked_sizes(archive: zipfile.ZipFile, limit: int) -> dict[str, int]:
    """The size of every member, all of them stored and together no larger than the file."""
    sizes: dict[str, int] = {}
    for member in archive.infolist():
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise PayloadError(f"its member {member.filename[:60]!r} is compressed")
        if member.filename in sizes:
            raise PayloadError(f"its member {member.filename[:60]!r} is there twice")
        sizes[member.filename] = member.file_size
    if sum(sizes.values()) > limit:
        raise PayloadError(f"its members claim {sum(sizes.values())} bytes, and it has {limit}")
    return sizes


def _check_array(file: IO[bytes], size: int, name: str) -> None:
    """Whether as many numbers follow the header of an array as it names."""
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in read:
        raise PayloadError(f"its array {name[:60]!r} has format {version}, which is not written")
    shape, _, dtype = read[version](file)
    # An entry without a size still takes a place.
    needed = math.prod(shape) * max(dtype.itemsize, 1)
    if min(shape, default=0) < 0 or needed > size:
        raise PayloadError(f"its array {name[:60]!r} claims {needed} bytes in a member of {size}")


def _check_sparse(content: bytes, name: str) -> None:
    room = SPARSE_RATIO * len(content) + SPARSE_ROOM
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        if len(sizes) < len(archive.infolist()) or sum(sizes.values()) > room:
            raise PayloadError(
                f"its sparse matrix {name[:60]!r} claims {sum(sizes.values())} bytes in a member "
                f"of {len(content)}"
            )
        for part, size in sizes.items():
            with archive.open(part) as member:
                _check_array(member, size, f"{name}/{part}")


def _files_read(schema: Any) -> list[str]:
    """The members that are read for a schema; an object with a number is read once."""
    found: list[str] = []
    names: set[Any] = set()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            number = value.get("__id__")
            name = value.get("file")
            if isinstance(name, str) and (number is None or str(number) not in names):
                names.add(str(number))
                found.append(name)
            waiting += value.values()
    return found
