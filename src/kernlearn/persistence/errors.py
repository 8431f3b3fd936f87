"""What is wrong with a model file."""

from __future__ import annotations

__all__ = ["ModelFileError"]


class ModelFileError(ValueError):
    """A model file cannot be written or read; the message says why and what to do."""
