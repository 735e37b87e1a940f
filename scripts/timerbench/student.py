"""Student's t distribution.

scipy.stats has it, too. But to import that takes half a second, and nearly each command needs this.
"""

from __future__ import annotations

from typing import Any

from scipy import special  # type: ignore[import-untyped]

CONFIDENCE = 0.95


def errors_to_either_side(degrees: Any) -> Any:  # noqa: ANN401
    """How many standard errors an interval of 95% reaches to either side.

    Of a number of degrees of freedom, or of each in an array.
    """
    return quantile((1 + CONFIDENCE) / 2, degrees)


def quantile(share: float, degrees: Any) -> Any:  # noqa: ANN401
    """What a share of the distribution is below."""
    return special.stdtrit(degrees, share)


def share_beyond(t: Any, degrees: Any) -> Any:  # noqa: ANN401
    """How much of the distribution is further from 0 than t, to either side."""
    return 2 * special.stdtr(degrees, -abs(t))
