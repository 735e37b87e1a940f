"""scripts/record.py preload on the resolver unbound, where that is installed."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from timerbench import traces
from timerbench.recorders import preload

ROOT = Path(__file__).resolve().parents[2]
UNBOUND = shutil.which("unbound", path="/usr/sbin:/usr/bin")

pytestmark = pytest.mark.skipif(
    not preload.LIBRARY.exists() or not UNBOUND,
    reason=f"{preload.LIBRARY} is not built, or unbound is not installed",
)

CONFIGURATION = """\
server:
  interface: 127.0.0.1@{port}
  chroot: ""
  username: ""
  directory: "{folder}"
  pidfile: ""
  use-syslog: no
  local-zone: "bench." redirect
  local-data: "bench. 60 A 10.0.0.1"
remote-control:
  control-enable: no
"""
# A query by TCP: its length, its header, the name n.bench, type A, class IN.
QUERY = (
    b"\x00\x19\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01n\x05bench\x00\x00\x01\x00\x01"
)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def connected(port: int, recorder: subprocess.Popen[bytes]) -> socket.socket:
    """Waits until it listens, or has ended."""
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            assert recorder.poll() is None
            time.sleep(0.01)


def test_the_idle_limit_of_a_connection_is_put_off_by_queries_and_cancelled(
    tmp_path: Path,
) -> None:
    port = free_port()
    configuration = tmp_path / "unbound.conf"
    configuration.write_text(CONFIGURATION.format(port=port, folder=tmp_path))
    output = tmp_path / "out.trace"
    # AppArmor does not let the resolver in /usr/sbin read our files.
    resolver = shutil.copy(str(UNBOUND), tmp_path)
    command = [sys.executable, str(ROOT / "scripts" / "record.py"), "preload", str(output), "--"]
    recorder = subprocess.Popen([*command, resolver, "-d", "-c", str(configuration)])
    try:
        with connected(port, recorder) as connection:
            for _ in range(3):
                connection.sendall(QUERY)
                assert b"\x0a\x00\x00\x01" in connection.recv(4096)
        # The end of the first connection is seen before the second connection gets its answer.
        with connected(port, recorder) as connection:
            connection.sendall(QUERY)
            assert connection.recv(4096)
    finally:
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait(60) == 0
    lines = traces.read_lines(output)
    traces.check(lines)
    idle = [
        (verb, timer)
        for time, verb, timer, *deadline in (line.split() for line in traces.parse(lines)[1])
        if not deadline or int(deadline[0]) - int(time) == 30_000_000_000
    ]
    first = next(timer for verb, timer in idle if verb == "s")
    verbs = "".join(verb for verb, timer in idle if timer == first)
    assert verbs.startswith("s")
    assert verbs.count("r") + verbs.count("s") >= 4
    assert "c" in verbs
