"""The proxy that tests put before a server fails as it is asked to, and recovers."""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections.abc import Iterator

import pytest
from fault_proxy import Fault, FaultProxy


class Echo(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(line)


class EchoServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that was reset is what these tests are about."""


@pytest.fixture
def proxy() -> Iterator[FaultProxy]:
    with EchoServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        with FaultProxy("127.0.0.1", server.server_address[1]) as proxy:
            yield proxy
        server.shutdown()
        thread.join()


def connect(proxy: FaultProxy) -> socket.socket:
    return socket.create_connection((proxy.host, proxy.port), timeout=5)


def echo(connection: socket.socket, text: bytes = b"hello\n") -> bytes:
    connection.sendall(text)
    return connection.recv(100)


def test_it_passes_bytes_on_in_both_directions(proxy: FaultProxy) -> None:
    with connect(proxy) as one, connect(proxy) as other:
        assert echo(one, b"one\n") == b"one\n"
        assert echo(other, b"other\n") == b"other\n"
    assert proxy.accepted == 2


def test_an_end_is_passed_on(proxy: FaultProxy) -> None:
    with connect(proxy) as connection:
        echo(connection)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""


def test_a_hang_lets_nothing_pass_until_it_ends(proxy: FaultProxy) -> None:
    """Neither on an open connection nor on a new one; both go on afterwards."""
    with connect(proxy) as old:
        echo(old)
        with proxy.failing(Fault.HANG), connect(proxy) as new:
            for each in (old, new):
                each.settimeout(0.05)
                with pytest.raises(TimeoutError):
                    echo(each, b"late\n")
        old.settimeout(5)
        assert old.recv(100) == b"late\n"


def test_a_delay_holds_every_chunk_up(proxy: FaultProxy) -> None:
    with connect(proxy) as connection:
        echo(connection)
        with proxy.failing(Fault.DELAY, seconds=0.1):
            begun = time.monotonic()
            assert echo(connection) == b"hello\n"
            assert time.monotonic() - begun >= 0.2


def test_a_reset_breaks_open_and_new_connections(proxy: FaultProxy) -> None:
    with connect(proxy) as old:
        echo(old)
        with proxy.failing(Fault.RESET):
            with pytest.raises(ConnectionResetError):
                old.recv(1)
            with pytest.raises(ConnectionError), connect(proxy) as new:
                echo(new)
    with connect(proxy) as after:
        assert echo(after) == b"hello\n"


def test_refusing_is_as_a_server_that_is_not_running(proxy: FaultProxy) -> None:
    with connect(proxy) as old:
        echo(old)
        with proxy.failing(Fault.REFUSE):
            with pytest.raises(ConnectionResetError):
                old.recv(1)
            with pytest.raises(ConnectionRefusedError):
                connect(proxy)
    with connect(proxy) as after:
        assert echo(after) == b"hello\n"


def test_a_url_keeps_everything_but_its_address(proxy: FaultProxy) -> None:
    found = proxy.instead_of("postgresql://user:word@10.0.0.1:5432/vta?connect_timeout=2")
    assert found == f"postgresql://user:word@127.0.0.1:{proxy.port}/vta?connect_timeout=2"
