"""Refusal to export a part of a model, in one sentence with its cure."""

from __future__ import annotations


def refused(what: str, cure: str) -> ValueError:
    """The error for a part of a model that has no expression.

    >>> str(refused("text", "leave it out"))
    'expected a model of numbers and categories to export, got text; leave it out'
    """
    return ValueError(f"expected a model of numbers and categories to export, got {what}; {cure}")
