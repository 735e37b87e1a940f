"""Measures for run.py: what programs offer, which process is next, which results are kept."""

from __future__ import annotations

from timerbench.command import CommandError


class RunError(CommandError):
    """Something that was asked for cannot be run."""
