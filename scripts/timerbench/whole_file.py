"""A file appears under its name when it is whole, or what was there stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def replace(path: Path, content: str | bytes) -> None:
    """A link stays, and what it leads to is replaced. A device or a FIFO is written through."""
    data = content.encode() if isinstance(content, str) else content
    if not _is_replaceable(path):
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(target.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(target)
    except OSError as error:  # nobody asked for the part
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        part.unlink(missing_ok=True)


def _is_replaceable(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True
