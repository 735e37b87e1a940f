"""Tests of scripts/record.py kernel, on output of a kernel, and on a folder instead of tracefs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import record
from timerbench.command import CommandError
from timerbench.recorders import kernel

# Linux 6.18, HZ=250. Tick 4298590284 was at 14792.176 s.
WHEEL = """\
# tracer: nop
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
 rcu_preempt-15  [001] d..1. 14792.180071: timer_cancel: timer=0000000080be0ee1
 rcu_preempt-15  [001] d..1. 14792.180085: timer_start: timer=0000000080be0ee1 \
function=process_timeout expires=4298590288 [timeout=3] cpu=1 idx=14 flags=
 a b [x]-2771    [000] dNs1. 14792.180500: timer_start: timer=00000000cafe0001 \
function=tcp_write_timer expires=4298590335 [timeout=50] cpu=0 flags=P
 a b [x]-2771    [000] dNs1. 14792.184010: timer_cancel: timer=00000000cafe0001
 a b [x]-2771    [000] dNs1. 14792.184012: timer_start: timer=00000000cafe0001 \
function=tcp_write_timer expires=4298590340 [timeout=54] cpu=0 flags=P
 cc1plus-2771    [001] dNs1. 14792.192081: timer_cancel: timer=0000000080be0ee1
 cc1plus-2771    [001] .Ns.. 14792.192082: timer_expire_entry: timer=0000000080be0ee1 \
function=process_timeout now=4298590288 baseclk=4298590288
 a b [x]-2771    [000] dNs1. 14792.196000: timer_cancel: timer=00000000cafe0001
 a b [x]-2771    [001] dNs1. 14792.196001: timer_start: timer=00000000cafe0001 \
function=tcp_write_timer expires=4298590300 [timeout=11] cpu=0 flags=P
 a b [x]-2771    [000] dNs1. 14792.300000: timer_cancel: timer=00000000cafe0001
"""
HRTIMERS = """\
 sleep-4412  [000] d.h.. 14792.176025: hrtimer_expire_entry: hrtimer=0000000012f0b1f2 \
function=tick_nohz_handler now=14792176022296
 sleep-4412  [000] dNh1. 14792.176043: hrtimer_start: hrtimer=0000000012f0b1f2 \
function=tick_nohz_handler expires=14792180000000 softexpires=14792180000000 mode=ABS was_armed=0
 sleep-4412  [000] d..1. 14792.177000: hrtimer_start: hrtimer=0000000017801cf5 \
function=hrtimer_wakeup expires=14793188336340 softexpires=14793188286340 mode=REL was_armed=0
 sleep-4412  [000] dN.3. 14792.178000: hrtimer_cancel: hrtimer=0000000017801cf5
 sleep-4412  [000] dN.3. 14792.178001: hrtimer_start: hrtimer=0000000017801cf5 \
function=dl_task_timer expires=14793139602603 softexpires=14793139602603 mode=ABS|HARD was_armed=0
 sleep-4412  [000] dN.3. 14792.179000: hrtimer_start: hrtimer=0000000017801cf5 \
function=hrtimer_wakeup expires=1795669143000000000 softexpires=1795669143000000000 mode=ABS \
was_armed=1
 sleep-4412  [000] d.h.. 14792.180010: hrtimer_cancel: hrtimer=0000000012f0b1f2
 sleep-4412  [000] d.h.. 14792.180012: hrtimer_expire_entry: hrtimer=0000000012f0b1f2 \
function=tick_nohz_handler now=14792180010000
"""


def test_a_cancel_of_the_wheel_may_be_half_of_an_expiry_or_of_a_re_arm() -> None:
    ms = 1_000_000
    second = 14_792_000 * ms
    # A tick is 4 ms. Tick 4298590289 had begun at .196 001, so the one before at .192 001.
    due = second + 192_001_000  # when tick 4298590288 must have begun
    assert kernel.wheel_lines(WHEEL.splitlines()) == [
        f"{second + 180_071_000} cancel 0000000080be0ee1",  # 14 us: two calls
        f"{second + 180_085_000} set 0000000080be0ee1 {due}",
        f"{second + 180_500_000} set 00000000cafe0001 {due + 47 * 4 * ms}",
        f"{second + 184_012_000} set 00000000cafe0001 {due + 52 * 4 * ms}",
        f"{second + 192_082_000} expire 0000000080be0ee1",
        f"{second + 196_000_000} cancel 00000000cafe0001",  # another processor sets it anew
        f"{second + 196_001_000} set 00000000cafe0001 {due + 12 * 4 * ms}",
        f"{second + 300_000_000} cancel 00000000cafe0001",
    ]


def test_deadlines_of_hrtimers_are_on_the_monotonic_clock() -> None:
    wall = 1_795_654_350_000_000_000  # ns from boot to 1970
    assert kernel.hrtimer_lines(HRTIMERS.splitlines(), wall) == [
        "14792176025000 expire 0000000012f0b1f2",
        "14792176043000 set 0000000012f0b1f2 14792180000000",
        "14792177000000 set 0000000017801cf5 14793188286340",
        "14792178000000 cancel 0000000017801cf5",  # the next start says that it was not armed
        "14792178001000 set 0000000017801cf5 14793139602603",
        "14792179000000 set 0000000017801cf5 14793000000000",
        "14792180012000 expire 0000000012f0b1f2",
    ]


def test_older_kernels_report_a_re_arm_of_a_hrtimer_as_two_halves() -> None:
    older = [
        "s-1 [000] d..1. 1.000100: hrtimer_start: hrtimer=aa function=f expires=5 softexpires=5 "
        "mode=REL",
        "s-1 [000] d..1. 1.000200: hrtimer_cancel: hrtimer=aa",
        "s-1 [000] d..1. 1.000201: hrtimer_start: hrtimer=aa function=f expires=6 softexpires=6 "
        "mode=REL",
    ]
    assert kernel.hrtimer_lines(older, 10**18) == ["1000100000 set aa 5", "1000201000 set aa 6"]


@pytest.mark.parametrize("hertz", [100, 250, 300, 1000])
def test_the_tick_is_told_from_what_the_kernel_calls_now(hertz: int) -> None:
    ticks = [
        f"x-1 [000] d..1. 5.{1000 * ms:06}: timer_start: timer=0000{ms} function=f "
        f"expires={100 + ms * hertz // 1000 + 7} [timeout=7] flags="
        for ms in range(100, 900)
    ]
    first = kernel.wheel_lines(ticks)[0].split()
    delay = int(first[3]) - int(first[0])
    tick = 1e9 / hertz
    assert 6 * tick <= delay <= 7 * tick


def test_too_little_is_no_recording() -> None:
    with pytest.raises(CommandError, match="too little was recorded"):
        kernel.wheel_lines(WHEEL.splitlines()[:5])


@pytest.fixture
def tracefs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes a folder instead of tracefs. An instance is made and removed in it as in tracefs."""
    folder = tmp_path / "tracing"

    def make_instance(path: Path) -> None:
        os.mkdir(path)
        if path.name == "timerbench":
            for event in kernel.EVENTS["hrtimers"]:
                os.makedirs(path / "events" / "timer" / event)
            os.mkdir(path / "options")
            os.makedirs(path / "per_cpu" / "cpu0")
            (path / "per_cpu" / "cpu0" / "stats").write_text((tmp_path / "stats").read_text())
            (path / "trace").write_text(HRTIMERS)

    os.makedirs(folder / "instances")
    (tmp_path / "stats").write_text("entries: 7\noverrun: 0\ndropped events: 0\n")
    monkeypatch.setattr(kernel, "TRACEFS", folder)
    monkeypatch.setattr(Path, "mkdir", make_instance)
    monkeypatch.setattr(Path, "rmdir", lambda path: path.rename(tmp_path / "removed"))
    monkeypatch.setattr("time.sleep", lambda _: None)
    return folder


def recorded(tmp_path: Path) -> int:
    output = str(tmp_path / "out.trace")
    return record.main(["kernel", output, "--timers", "hrtimers", "--seconds", "1"])


def test_the_kernel_is_told_what_to_record_and_left_as_it_was(
    tracefs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recorded(tmp_path) == 0
    assert "out.trace: 6 operations in 0.0 s" in capsys.readouterr().out
    assert list((tracefs / "instances").iterdir()) == []
    instance = tmp_path / "removed"
    assert (instance / "trace_clock").read_text() == "mono"
    assert (instance / "options" / "overwrite").read_text() == "0"
    assert (instance / "tracing_on").read_text() == "0"
    enabled = (instance / "events" / "timer").glob("*/enable")
    assert {file.parent.name for file in enabled} == set(kernel.EVENTS["hrtimers"])


def test_ctrl_c_ends_a_recording_before_its_time(
    tracefs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupted)
    assert recorded(tmp_path) == 0
    assert (tmp_path / "out.trace").exists()
    assert list((tracefs / "instances").iterdir()) == []


def test_a_recording_with_losses_is_refused(
    tracefs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stats").write_text("entries: 7\noverrun: 0\ndropped events: 12\n")
    assert recorded(tmp_path) == 2
    assert capsys.readouterr().err == (
        "record.py: the kernel's buffer was too small: 12 operations are lost on cpu0; give a "
        "larger --buffer, or fewer --seconds\n"
    )
    assert not (tmp_path / "out.trace").exists()
    assert list((tracefs / "instances").iterdir()) == []


def test_says_what_is_missing(
    tracefs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tracefs / "instances" / "timerbench").mkdir()
    assert recorded(tmp_path) == 2
    assert (
        "exists: another recording runs; or one was killed, then rmdir it"
        in capsys.readouterr().err
    )
    monkeypatch.setattr(kernel, "TRACEFS", tmp_path / "none")
    assert recorded(tmp_path) == 2
    assert capsys.readouterr().err == (
        f"record.py: there is no tracefs at {tmp_path / 'none'}; as root: "
        f"mount -t tracefs tracefs {tmp_path / 'none'}\n"
    )
