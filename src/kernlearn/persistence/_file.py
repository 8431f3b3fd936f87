"""The layout of a model file.

Four parts: a line with the format's name and number; a line with the SHA-256 of all that follows;
a line of JSON, the header; and the payload, written by skops. So a file of another kind, of a newer
format, cut short or altered is recognised before anything in it is used.
"""

from __future__ import annotations

import hashlib
import json
import platform
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from kernlearn.typing import Json


class ModelFileError(ValueError):
    """A model file cannot be written or read; the message says why and what to do."""


MAGIC = b"kernlearn-model "
FORMAT = 2  # since 2, a file names public classes and the keys of the registry
PACKAGES = ("kernlearn", "numpy", "scipy", "scikit-learn", "skops")


def pack(payload: bytes, estimator: str) -> bytes:
    """The bytes of a file."""
    header = {
        "estimator": estimator,
        "versions": versions(PACKAGES),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "payload_bytes": len(payload),
    }
    rest = json.dumps(header).encode() + b"\n" + payload
    digest = hashlib.sha256(rest).hexdigest().encode()
    return MAGIC + str(FORMAT).encode() + b"\n" + digest + b"\n" + rest


def unpack(content: bytes, name: str) -> tuple[Json, bytes]:
    """The header and the payload, or a sentence with the defect."""
    check_magic(content, name)
    first, _, after = content.partition(b"\n")
    number = first.removeprefix(MAGIC).decode("ascii", "replace")
    if number != str(FORMAT):
        raise ModelFileError(
            f"{name} has format {number!r}, expected {FORMAT}: it was made by another version of "
            "kernlearn, or altered; upgrade kernlearn, or fit and save the model again"
        )
    digest, _, rest = after.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        raise ModelFileError(
            f"{name} is cut short or was altered: its checksum does not match its content; get "
            "the file again, or fit and save the model again"
        )
    header, _, payload = rest.partition(b"\n")
    return _read_header(header, len(payload), name), payload


def check_magic(content: bytes, name: str) -> None:
    """Refuse a file of another kind by its first bytes."""
    if not content.startswith(MAGIC):
        raise ModelFileError(
            f"{name} is not a kernlearn model file: expected a file written by kernlearn.save or "
            "kernlearn fit --model; give the name of one"
        )


def _read_header(text: bytes, payload_bytes: int, name: str) -> Json:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(
            f"{name} has a header that is not JSON ({error}): it was not made by kernlearn; fit "
            "and save the model again"
        ) from error
    versions_known = isinstance(header, dict) and isinstance(header.get("versions"), dict)
    if not versions_known or header.get("payload_bytes") != payload_bytes:
        raise ModelFileError(
            f"{name} has a header without versions, or with another size than that of its content: "
            "it was not made by kernlearn; fit and save the model again"
        )
    return dict(header)


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """The versions in use, that of Python first."""
    known = {package: _version(package) for package in packages}
    found = {package: number for package, number in known.items() if number is not None}
    return {"python": platform.python_version(), **found}


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
