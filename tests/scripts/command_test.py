"""Tests of how a command ends."""

import signal
from pathlib import Path

import pytest

from timerbench.command import CommandError, about, ends_in_words, interrupted_afterwards


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


@pytest.mark.parametrize(("ended", "status"), [(None, 0), (0, 0), (1, 1)])
def test_a_main_that_says_nothing_went_well(ended: int | None, status: int) -> None:
    @ends_in_words()
    def main() -> int | None:
        return ended

    assert main() == status


@pytest.mark.parametrize("status", [2, 3])
def test_why_a_main_cannot_go_on_is_a_line(capsys: pytest.CaptureFixture[str], status: int) -> None:
    @ends_in_words(status)
    def main(folder: Path) -> None:
        with about(folder / "none"):
            (folder / "none").read_text()

    assert main(Path("no_folder")) == status
    reason = "no_folder/none: No such file or directory"
    assert capsys.readouterr() == ("", f"command_test.py: {reason}\n")


def test_a_mistake_of_ours_is_not_told_as_a_reason() -> None:
    @ends_in_words()
    def main() -> None:
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        main()


def test_a_reason_names_the_file_that_it_is_about() -> None:
    with pytest.raises(CommandError, match=r"^a/file: it is empty$"), about(Path("a/file")):
        raise CommandError("it is empty")
