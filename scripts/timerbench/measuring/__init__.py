"""How run.py measures: what programs offer, which process comes next, and what is kept of it."""

from __future__ import annotations

from timerbench.command import CommandError


class RunError(CommandError):
    """Something that was asked for cannot be run."""
