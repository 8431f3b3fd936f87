"""How the test set-up comes by a browser, or says why it has none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "chromium"
# An apt-get that notes what it is asked for, and installs once the lists are there and it can.
APT_GET = """#!/bin/sh
echo "$@" >> "{folder}/asked"
case "$*" in *update*) : > "{folder}/lists"; exit {update_code};; esac
[ -e "{folder}/lists" ] || exit 100
printf '#!/bin/sh\\n' > "{folder}/chromium"
chmod +x "{folder}/chromium"
"""


def _command(folder, name, text):
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path):
    """Runs the script where there are only these commands."""
    bash = shutil.which("bash")
    if bash is None or not SCRIPT.exists():
        pytest.skip("the script of the checkout and bash are needed")
    for name in ("timeout", "chmod", "sh"):
        (tmp_path / name).symlink_to(shutil.which(name))

    def run(user=0, update_code=0):
        _command(tmp_path, "id", f"#!/bin/sh\necho {user}\n")
        if update_code is not None:
            _command(tmp_path, "apt-get", APT_GET.format(folder=tmp_path, update_code=update_code))
        done = subprocess.run(
            [bash, str(SCRIPT)], env={"PATH": str(tmp_path)}, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        asked = tmp_path / "asked"
        return done.stdout, asked.read_text().splitlines() if asked.exists() else []

    run.folder = tmp_path
    return run


@pytest.mark.parametrize("name", ["chromium", "chromium-browser"])
def test_a_browser_that_is_there_is_left_alone(machine, name):
    _command(machine.folder, name, "#!/bin/sh\n")
    assert machine() == ("", [])


def test_it_is_installed_even_where_the_lists_of_packages_are_missing(machine):
    said, asked = machine()
    assert said == "installing chromium, in which the tests open the report\n"
    assert [line.split()[-1] for line in asked] == ["chromium", "update", "chromium"]
    assert all("--yes" in line for line in asked)
    assert (machine.folder / "chromium").exists()


def test_no_network_is_no_failure(machine):
    said, asked = machine(update_code=100)
    assert said.endswith("could not install chromium: tests of the report are skipped\n")
    assert len(asked) == 2


@pytest.mark.parametrize("cannot", [{"user": 1000}, {"update_code": None}])
def test_without_root_or_apt_nothing_is_tried(machine, cannot):
    said, asked = machine(**cannot)
    assert said.startswith("no chromium, and it takes root and apt-get to install it")
    assert asked == []


def test_the_tests_know_why_they_are_skipped(find_chromium, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_chromium() == (None, "Chromium is not installed: apt-get install chromium")
    _command(tmp_path, "chromium-browser", "#!/bin/sh\nexit 1\n")
    path, reason = find_chromium()
    assert path is None
    assert reason.startswith("Chromium does not start: ")
    _command(tmp_path, "chromium", "#!/bin/sh\n")
    assert find_chromium() == (str(tmp_path / "chromium"), None)
