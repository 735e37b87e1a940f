"""How run.py measures: what programs offer, which process comes next, and what is kept of it."""

from __future__ import annotations


class RunError(Exception):
    """Something that was asked for cannot be run."""
