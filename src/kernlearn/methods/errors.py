"""Errors of methods and metrics."""

from __future__ import annotations


class MethodError(ValueError):
    """A method cannot be used on this table; the message says why and what to use."""
