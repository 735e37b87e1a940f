"""Tests of the drawing of the lazy wheel: its miniature follows the rules of the real wheel."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from draw_lazy_wheel import DUE, FREE, PUT_OFF, STALE, Wheel, bucket_of, example, main

ROOT = Path(__file__).resolve().parents[2]


def colours(wheel: Wheel) -> list[str]:
    return [wheel.fate(tick, cell)[1] for tick, cell in wheel.visits]


def test_a_visit_stands_where_its_highest_digit_says() -> None:
    assert [bucket_of(tick) for tick in (1, 3, 4, 15, 16, 47)] == [
        (0, 1),
        (0, 3),
        (1, 1),
        (1, 3),
        (2, 1),
        (2, 2),
    ]


def test_a_timer_that_is_put_off_keeps_its_visit() -> None:
    wheel = Wheel()
    wheel.rearm(wheel.insert(2, ""), 9)
    assert wheel.visits == [(2, 0)]
    assert colours(wheel) == [PUT_OFF]


def test_a_timer_that_is_put_forward_gets_another() -> None:
    wheel = Wheel()
    wheel.rearm(wheel.insert(27, ""), 10)
    assert wheel.visits == [(27, 0), (10, 0)]
    assert colours(wheel) == [STALE, DUE]


def test_a_free_cell_keeps_its_visit_for_the_next_timer() -> None:
    wheel = Wheel()
    cell = wheel.insert(7, "")
    wheel.cancel(cell)
    assert colours(wheel) == [FREE]
    wheel.reuse(cell, 13)
    assert wheel.visits == [(7, 0)]
    assert colours(wheel) == [PUT_OFF]


def test_the_drawing_shows_all_that_may_come_of_a_visit() -> None:
    assert set(colours(example())) == {DUE, PUT_OFF, FREE, STALE}


def test_the_drawing_is_the_one_that_the_script_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = tmp_path / "drawn.svg"
    monkeypatch.setattr(sys, "argv", ["draw_lazy_wheel.py", "--output", str(drawn)])
    main()
    assert drawn.read_bytes() == (ROOT / "results" / "lazy_wheel.svg").read_bytes()


def test_what_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "none" / "drawing.svg"
    monkeypatch.setattr(sys, "argv", ["draw_lazy_wheel.py", "--output", str(drawing)])
    assert main() == 2
    said = capfd.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert f"No such file or directory: '{drawing}'" in said.err
    assert list(tmp_path.iterdir()) == []
