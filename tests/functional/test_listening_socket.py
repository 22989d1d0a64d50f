"""The socket that `vta serve` and `vta demo` listen on."""

from __future__ import annotations

import os
import pickle
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from services.cli.serving import listen
from vta.errors import InvalidInput

PROGRAM = Path(__file__).with_name("report_nodelay.py")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("serve",), ("demo", "--no-open")], ids=["serve", "demo"])
def test_small_replies_leave_at_once(tmp_path, arguments):
    """TCP_NODELAY is set on accepted connections: no reply waits for the delayed ACK of the one before."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VTA_")}
    command = [sys.executable, str(PROGRAM), *arguments, "--port", "0", "--home", str(tmp_path / "home")]
    with subprocess.Popen(
        command, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        assert running.stdout is not None
        try:
            found = next(
                found for line in running.stdout if (found := re.match(r"Serving at (http://[\d.:]+)", line))
            )
            address = found[1]
            if arguments == ("serve",):
                assert f"{address}/console" in found.string
            assert httpx.get(f"{address}/healthz", timeout=60.0, trust_env=False).status_code == 200
            accepted = next(line for line in running.stdout if line.startswith("accepted"))
        finally:
            running.kill()
    assert accepted == "accepted, nodelay True\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux spreads connections over several sockets")
def test_the_port_of_workers_is_theirs_alone():
    """Each listens on it; a second server, with workers or without, is refused before, then and after."""
    with listen("127.0.0.1", 0, workers=2) as shared:
        port = shared.getsockname()[1]

        def check_refused() -> None:
            for workers in (1, 2):
                with pytest.raises(InvalidInput):
                    listen("127.0.0.1", port, workers=workers)

        check_refused()
        with pickle.loads(pickle.dumps(shared)) as first, pickle.loads(pickle.dumps(shared)) as second:
            first.listen()
            second.listen()
            check_refused()
        check_refused()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux spreads connections over several sockets")
def test_the_port_of_workers_is_taken_again_at_once():
    """Though connections that the last server ended still wait there."""
    with listen("127.0.0.1", 0, workers=2) as shared, pickle.loads(pickle.dumps(shared)) as worker:
        address = shared.getsockname()
        worker.listen()
        with socket.create_connection(address) as client:
            worker.accept()[0].close()
            assert client.recv(1) == b""
    with listen(*address, workers=2) as again, pickle.loads(pickle.dumps(again)) as worker:
        worker.listen()
