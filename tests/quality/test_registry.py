"""A machine is one file and one line of the registry; forgetting the line fails here."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import kernlearn.quality
from kernlearn.quality import CRITERIA, QUALITIES, Settings, quality_names
from kernlearn.quality.machine import Machine

PUBLIC_NAMES = {
    "hard_margin",
    "soft_margin",
    "squared_soft_margin",
    "nu_svm",
    "one_class",
    "ranking",
    "nu_svr",
    "epsilon_svr",
    "least_squares",
    "logistic",
    "huber",
    "quantile",
    "alignment",
    "centered_alignment",
    "max_determinant",
}


def machine_functions():
    """Names of the public functions under ``quality`` that return a Machine."""
    names = set()
    for info in pkgutil.iter_modules(kernlearn.quality.__path__):
        module = importlib.import_module(f"kernlearn.quality.{info.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            returns_machine = function.__annotations__.get("return") in ("Machine", Machine)
            own = function.__module__ == module.__name__
            if own and returns_machine and not name.startswith("_"):
                names.add(name)
    return names


def test_every_machine_file_has_its_line():
    functions = machine_functions()
    assert "soft_margin" in functions
    # What the alignment becomes under a penalty has no name of its own; a box is no quality,
    # nor is a machine on some of the points.
    assert functions - {"interpolation", "boxed", "on_rows"} == set(QUALITIES)


def test_every_promised_name_is_there():
    assert set(quality_names()) >= PUBLIC_NAMES
    assert set(quality_names()) == set(QUALITIES) | set(CRITERIA)


def test_names_by_kind_of_target():
    assert set(quality_names("values")) == {"epsilon_svr", "nu_svr", "huber", "quantile"}
    assert set(quality_names("none")) == {"one_class", "ranking"}
    both = set(quality_names("values", "either"))
    assert both == {"epsilon_svr", "nu_svr", "huber", "quantile", "least_squares"}
    assert set(CRITERIA) < set(quality_names("labels"))


def _numbers(machine):
    arrays = [machine.linear, machine.breakpoints, machine.slopes, machine.rows, machine.rhs]
    return np.concatenate([np.ravel(a) for a in [*arrays, machine.ridge, machine.budget]])


@pytest.mark.parametrize("setting", ["C", "nu", "epsilon", "quantile"])
@pytest.mark.parametrize("name", sorted(QUALITIES))
def test_a_machine_uses_exactly_the_settings_it_says(name, setting):
    y = np.array([1.0, -1.0, 1.0, -1.0])
    values = {"C": 1.0, "nu": 0.3, "epsilon": 0.1, "quantile": 0.5}
    changed = {**values, setting: 0.45}
    quality = QUALITIES[name]
    before = quality.build(y, Settings(**values, sample_weight=np.ones(4)))
    after = quality.build(y, Settings(**changed, sample_weight=np.ones(4)))
    same = np.array_equal(_numbers(before), _numbers(after))
    assert same == (setting not in quality.uses)
