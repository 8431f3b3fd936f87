"""The code in the README and the docs runs, and their links lead somewhere."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def _id(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_python_blocks_run(page, capsys, monkeypatch):
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        module = ModuleType("__page__")
        # Known by its name, as a script is, so that classes of a block can be pickled.
        monkeypatch.setitem(sys.modules, "__page__", module)
        exec(compile(block, str(page), "exec"), vars(module))


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_readme_opens_with_the_two_commands():
    opening = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")[0]
    assert opening.index("make demo") < opening.index("make test")


def test_the_version_is_the_same_everywhere():
    import kernlearn

    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert cited.group(1) == kernlearn.__version__
