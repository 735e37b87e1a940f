"""The numbers of a Markdown text: their values, and other values in the same form."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

UNITS = {"": 1.0, "ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
UNITS |= {"%": 0.01, "million": 1e6, "kB": 1e3, "MB": 1e6, "GB": 1e9}
UNITS |= {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}

TOKEN = re.compile(
    r"""
    [^\W\d_][\w+]*(?:[.-]\d+)* | \d+(?:\.\d+){2,}       # a word such as p99.9 or C++20, a version
    | (?P<number>
        10\^(?P<power>\d+)
        | (?P<digits>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:\s*[·×]\s*10\^(?P<exponent>\d+))?
      )
      (?:[*_]*\s*(?P<percent>%)|[*_]*\s+(?P<unit>[nµμu]s|ms|s|min|h|million|[kMG]B|[KMG]iB)\b)?
    """,
    re.VERBOSE,
)
RANGE = re.compile(r"[*_]*(?:\s+(?:to|or)\s+|\s*[–-]\s*)[*_]*")

# These are not text: code, pictures, targets of links, and HTML.
NO_TEXT = re.compile(
    r"(`+)(?!`).*?(?<!`)\1(?!`)|!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)|<[^<>]*>|https?://\S+",
    re.DOTALL,
)


@dataclass(frozen=True)
class Number:
    """A number, from `start` to `end` of its page. The unit is not part of this range."""

    text: str
    digits: str  # the digits that are rounded; empty for a bare 10^5
    exponent: int
    unit: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """What tells this number from others: its text, and a unit that scales it."""
        return self.text if self.unit in ("", "ns") else f"{self.text} {self.unit}"

    def in_unit(self, value: float) -> float:
        return value / UNITS[self.unit]

    def shows(self, value: float) -> bool:
        """Whether the value, rounded to the digits shown, is this number.

        A bare 10^5 has no digits.
        """
        scaled = self.in_unit(value) / 10.0**self.exponent
        if not self.digits:
            return math.isclose(scaled, 1)
        decimals = len(self.digits.partition(".")[2])
        return f"{scaled:.{decimals}f}" == self.digits.replace(",", "")

    def written(self, value: float) -> str:
        """Writes the value in this form, with as many digits; never coarser than whole units."""
        significant = len(re.sub(r"[,.]", "", self.digits).lstrip("0")) or 1
        scaled = self.in_unit(value)
        mantissa, _, exponent = f"{scaled:.{significant - 1}e}".partition("e")
        if "^" in self.text:
            return f"{mantissa} × 10^{int(exponent)}"
        had_commas = "," in self.digits or len(self.digits.partition(".")[0]) < 4
        decimals = max(0, significant - 1 - int(exponent))
        return f"{scaled:{',' if had_commas else ''}.{decimals}f}"


def numbers_in(text: str, start: int = 0) -> Iterator[Number]:
    """Yields the numbers of a text that begins at `start` of its page."""
    plain = NO_TEXT.sub(lambda found: re.sub(r"\S", " ", found[0]), text)
    found = [token for token in TOKEN.finditer(plain) if token["number"]]
    for index, token in enumerate(found):
        yield Number(
            text=" ".join(token["number"].split()),
            digits=token["digits"] or "",
            exponent=int(token["power"] or token["exponent"] or 0),
            unit=_unit(plain, found[index:]),
            start=start + token.start("number"),
            end=start + token.end("number"),
        )


def number_alone(text: str, start: int) -> Number | None:
    """Returns the number if the text is just one number, perhaps with a unit; otherwise None."""
    token = TOKEN.fullmatch(text)
    return next(numbers_in(text, start)) if token and token["number"] else None


def _unit(plain: str, tokens: list[re.Match[str]]) -> str:
    """Returns the unit of the first number: its own, or that of the other end of its range."""
    unit = tokens[0]["percent"] or tokens[0]["unit"]
    if unit:
        return "µs" if unit in ("μs", "us") else str(unit)
    if len(tokens) > 1 and RANGE.fullmatch(plain[tokens[0].end() : tokens[1].start()]):
        return _unit(plain, tokens[1:])
    return ""
