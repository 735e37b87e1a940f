"""What the marks of cells mean, in the words of the charts and of the report."""

from __future__ import annotations

# By the marks of results.py. "unstable" is a mark that a cell may have in addition.
WORDS = {
    "window": "a window was timed",
    "slower_than": "slower than this",
    "lagged": "the caller fell behind",
    "unstable": "wider than ±10%",
    "behind": "not the best exact one of its family",
}
