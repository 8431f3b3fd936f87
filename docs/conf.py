"""How Sphinx builds the documentation: `make docs`."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import kernlearn

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "_ext")]

import draw_imports  # noqa: E402  (it stands beside this file)

# By the name that users type: autodoc takes a class of another name for an alias, without a text.
kernlearn.constraints.Linear.__name__ = "Linear"

project = "kernlearn"
author = "The kernlearn developers"
copyright = author
release = version = kernlearn.__version__

extensions = [
    "constants",
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "tables",
    "tutorials",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "reproduced/results"]
default_role = "literal"  # `name` in a docstring is a name
smartquotes = False  # "auto" is a value that a reader copies
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_digits = False  # an amount such as $5 is no formula

# The names of a module are those of its __all__, wherever they are defined.
autosummary_ignore_module_all = False
autosummary_imported_members = True
# Packages have pages of their own in docs/api/index.rst.
autosummary_context = {
    "packages": [name for name in kernlearn.__all__ if inspect.ismodule(getattr(kernlearn, name))]
}
autodoc_typehints = "none"  # numpydoc writes the types down, shorter than the annotations
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"  # the page has the name of the class
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery.Order",
    "thumbnail_size": (600, 340),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "backreferences_dir": "api/generated/backreferences",
    "doc_module": ("kernlearn",),
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "capture_repr": (),  # what an example shows, it prints
    "min_reported_time": float("inf"),
    "write_computation_times": False,
}

html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["layout.css", "mathml.css"]
html_theme = "pydata_sphinx_theme"
html_title = "kernlearn"
html_show_sourcelink = False
# Folders of the site, the newest first, by the names that readers choose from.
html_context = {"version_folders": (HERE / "versions.txt").read_text("utf-8").split()}
html_theme_options: dict[str, Any] = {
    "show_prev_next": False,
    "navbar_start": ["navbar-logo", "versions"],
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}


# What the library reads from a class of kernels: on the page of the base class only.
TRAITS = {"follows_arrays", "is_product", "parameter_checks", "takes_sparse", "takes_things"}


def _skip_foreign(
    app: Any, kind: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn, Python or a base class documents on a page of its own."""
    if name in TRAITS and not app.env.docname.endswith(("Kernel", "Hyperkernel")):
        return True
    target = member.fget if isinstance(member, property) else inspect.unwrap(member)
    home = getattr(target, "__module__", None) or ""
    foreign = kind == "class" and callable(target) and not home.startswith("kernlearn")
    return True if foreign else None


def setup(app: Any) -> None:
    """Add what Sphinx has no setting for."""
    app.connect("autodoc-skip-member", _skip_foreign)
    picture = HERE / "api" / "generated" / "imports.svg"
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(draw_imports.drawing(*draw_imports.read_packages()), encoding="utf-8")
