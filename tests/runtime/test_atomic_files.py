"""A file is there whole, or as it was."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from kernlearn.runtime.atomic_files import atomic_file


def write(path, content, error=None):
    with atomic_file(path) as file:
        file.write(content)
        file.flush()
        if error is not None:
            raise error


def test_a_file_is_written_and_replaced(tmp_path):
    write(tmp_path / "a", b"one")
    write(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(1), OSError(errno.ENOSPC, "No space left on device")]
)
def test_a_failure_leaves_what_was_there(tmp_path, error):
    write(tmp_path / "a", b"one")
    with pytest.raises(type(error)):
        write(tmp_path / "a", b"half of t", error)
    assert (tmp_path / "a").read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["a"]


def test_a_disk_that_fills_up_at_the_end(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "a", b"one")
    assert os.listdir(tmp_path) == []


def test_nothing_has_the_name_before_the_end(tmp_path):
    with atomic_file(tmp_path / "a") as file:
        file.write(b"one")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").exists()


def test_the_rights_are_those_of_any_new_file(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    write(tmp_path / "a", b"one")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "a")]
    assert modes[0] == modes[1]


def test_a_link_stays_a_link(tmp_path):
    write(tmp_path / "a", b"one")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    write(tmp_path / "link", b"two")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"two"


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"there is no folder '.*nowhere'; make it"
    ) as caught:
        write(tmp_path / "nowhere" / "a", b"one")
    assert caught.value.filename == str(tmp_path / "nowhere" / "a")
    assert "unfinished" not in str(caught.value)
