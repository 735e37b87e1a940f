"""Writes a file as a whole: if that fails, the former file stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def replace(path: Path, content: str | bytes) -> None:
    """Replaces the content of a file.

    A link stays, and its target is replaced. A device or a FIFO is written directly.
    """
    data = content.encode() if isinstance(content, str) else content
    if not _is_replaceable(path):
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(target.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(target)
    except OSError as error:  # the caller does not know the part
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        part.unlink(missing_ok=True)


def _is_replaceable(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True
