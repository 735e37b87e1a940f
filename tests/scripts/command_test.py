"""How a command ends."""

import signal

import pytest

from timerbench.command import interrupted_afterwards


@pytest.fixture(autouse=True)
def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_waits_for_the_end_of_a_start() -> None:
    started = False
    with pytest.raises(KeyboardInterrupt), interrupted_afterwards():
        signal.raise_signal(signal.SIGINT)
        started = True
    assert started


def test_an_interrupt_is_itself_again_afterwards() -> None:
    with interrupted_afterwards():
        pass
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
