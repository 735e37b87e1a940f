"""Student's t distribution.

scipy.stats has it, too. But its import takes half a second, and nearly each command needs this.
"""

from __future__ import annotations

from typing import Any

from scipy import special  # type: ignore[import-untyped]

CONFIDENCE = 0.95


def errors_to_either_side(degrees: Any) -> Any:  # noqa: ANN401
    """Returns how many standard errors a 95% interval reaches to either side.

    `degrees` is a number of degrees of freedom, or an array of such numbers.
    """
    return quantile((1 + CONFIDENCE) / 2, degrees)


def quantile(share: float, degrees: Any) -> Any:  # noqa: ANN401
    """Returns the value that a share of the distribution is below."""
    return special.stdtrit(degrees, share)


def share_beyond(t: Any, degrees: Any) -> Any:  # noqa: ANN401
    """Returns the share of the distribution that is further from 0 than t, on either side."""
    return 2 * special.stdtr(degrees, -abs(t))
