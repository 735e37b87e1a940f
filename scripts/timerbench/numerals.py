"""How numbers are written in charts and tables."""

from __future__ import annotations

import math

UNITS = {1e9: "G", 1e6: "M", 1e3: "k"}


def short(value: float, digits: int = 3) -> str:
    """Writes a number with so many digits: 7.31, 73.1, 731, 7.3k, 2.0M."""
    size = abs(value)
    for unit, name in UNITS.items():
        if size >= unit * 0.9995:
            return f"{value / unit:.{0 if size >= 9.995 * unit else 1}f}{name}"
    rounded = float(f"{size:.{digits - 1}e}")
    decimals = digits - 1 - math.floor(math.log10(rounded)) if rounded else 0
    text = f"{value:.{min(max(decimals, 0), digits - 1)}f}"
    return text if float(text) else "0"


def whole(value: float) -> str:
    """Writes a count: 7, 73, 731, 7.3k, 2.0M."""
    return f"{value:.0f}" if value < 999.5 else short(value)


def count(value: float) -> str:
    """Writes a round number, as on an axis: 0.5, 10, 2,000, 50,000, 1M."""
    for unit, name in UNITS.items():
        if value >= max(unit, 1e6):
            return f"{value / unit:g}{name}"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def duration(ns: float) -> str:
    """Writes a time: 100 ns, 10 µs, 1 ms, 2 s, 3,600 s."""
    if ns < 0:
        return f"-{duration(-ns)}"
    if ns >= 999.5e9:
        return f"{ns / 1e9:,.0f} s"
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= unit * 0.9995:
            return f"{ns / unit:.3g} {name}"
    return f"{ns:.3g} ns"


def three_digits(value: float) -> str:
    """Writes three digits: 7.31, 73.1, 731, 7,310, 73.1k, 731k, 7.31M."""
    if value >= 999_500:
        return three_digits(value / 1_000_000) + "M"
    if value >= 9_999.5:
        return three_digits(value / 1_000) + "k"
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"


def short_count(n: int) -> str:
    """Writes a count in short: 1k for 1000, 10M for 10,000,000."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if n % size == 0:
            return f"{n // size}{unit}"
    return str(n)


def two_digits(n: float) -> str:
    """Writes a number of which only two digits are known: 21,000."""
    return f"{float(f'{n:.2g}'):,.0f}"
