"""The colours of the page: readable on light paper, on dark paper, and in print."""

from __future__ import annotations

import re

import pytest

from kernlearn.inspection.kernel_weights import NEGATIVE
from kernlearn.report._style import STYLE

LEAST_TEXT, LEAST_DRAWING = 4.5, 3.0  # WCAG 2.2, level AA: 1.4.3 and 1.4.11


def _schemes():
    blocks = re.findall(r":root \{([^}]*)\}", STYLE)
    read = [dict(re.findall(r"--(\w+):\s*(#[0-9a-f]{6})", block)) for block in blocks]
    return dict(zip(("light", "dark", "print"), read, strict=True))


def _luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first, second):
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_formula_knows_its_ends():
    assert _contrast("#ffffff", "#000000") == pytest.approx(21.0)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_texts_and_drawings_stand_out_from_their_ground(scheme):
    colours = _schemes()[scheme]
    for ground in ("paper", "panel"):
        for text in ("ink", "soft", "link"):
            assert _contrast(colours[text], colours[ground]) >= LEAST_TEXT, (text, ground)
    for drawn in (colours["blue"], NEGATIVE):
        assert _contrast(drawn, colours["paper"]) >= LEAST_DRAWING, drawn


def test_print_is_black_on_white():
    colours = _schemes()["print"]
    assert (colours["paper"], colours["panel"], colours["ink"]) == (
        "#ffffff", "#ffffff", "#000000",
    )  # fmt: skip


def test_every_colour_of_the_style_is_one_of_the_scheme():
    """A colour written into a rule would be the same on light and on dark paper."""
    rules = re.sub(r":root \{[^}]*\}", "", STYLE)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", rules) == []
    used = set(re.findall(r"var\(--(\w+)\)", STYLE))
    for scheme, colours in _schemes().items():
        assert used <= set(colours), scheme
