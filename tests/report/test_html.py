"""Text stays text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernlearn.inspection._text import plain
from kernlearn.report._html import Html, join, table, tag


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.attributes = [], "", []

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


def _read(html):
    reader = _Reader()
    reader.feed(html.source)
    reader.close()
    return reader


# Of all there are, by number: a table of their categories takes seconds to make.
CHARACTERS = st.lists(st.integers(0, 0x10FFFF).map(chr)).map("".join)


@settings(max_examples=50)
@given(CHARACTERS | st.text(alphabet="<>&;\"'/!-?ax"))
@example('<b class="x">&lt;</b>')
def test_any_text_comes_back_as_the_same_text(text):
    read = _read(tag("p", text, title=text))
    assert read.tags == ["p"]
    assert read.text == plain(text)
    assert read.attributes == [("title", plain(text))]


def test_pieces_are_put_in_as_they_are_and_none_is_left_out():
    assert join("a<", None, tag("br"), Html("<i>x</i>")).source == "a&lt;<br><i>x</i>"
    assert tag("td", class_=None, aria_label="x").source == '<td aria-label="x"></td>'


def test_a_table_has_every_cell_in_its_place():
    read = _read(table(["a", "b"], [["1", "<2>"], ["3", tag("em", "4")]], {1}))
    assert read.tags.count("td") == 4
    assert read.text == "ab1<2>34"
    assert read.attributes.count(("class", "number")) == 3


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\ud800", "\uffff"])
def test_what_no_reader_can_show_is_replaced(bad):
    assert plain(f"a{bad}b") == "a\ufffdb"
    tag("p", bad).source.encode("utf-8")
