"""Tables of text: a column of names, aligned left, and columns of figures, aligned right."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.table import Table


def text_table(headings: Iterable[str], *, names: int = 0, edge: bool = False) -> Table:
    """Returns a table without rows. `names` is the index of the column of the names."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=edge, pad_edge=edge)
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="left" if column == names else "right", no_wrap=True)
    return table
