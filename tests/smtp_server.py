"""A mail server that takes e-mail by SMTP on a local port and keeps it: a real socket, RFC 5321's words."""

from __future__ import annotations

import base64
import queue
import socketserver
import threading
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Self, cast

WAIT_S = 30.0


@dataclass(frozen=True)
class Received:
    """One message as it was handed in."""

    sender: str
    recipients: tuple[str, ...]
    message: EmailMessage
    login: str


class SmtpServer:
    """Listens while it is entered. The first `refused` messages are refused for now (451)."""

    def __init__(self, refused: int = 0) -> None:
        self.refused = refused
        self.received: queue.Queue[Received] = queue.Queue()
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                sender, recipients, login = "", list[str](), ""
                self._say("220 mail.example")
                while line := self.rfile.readline().decode().strip():
                    verb, _, rest = line.partition(" ")
                    match verb.upper():
                        case "EHLO":
                            self._say("250-mail.example", "250 AUTH PLAIN")
                        case "AUTH":
                            login = base64.b64decode(rest.split()[1]).decode()
                            self._say("235 ok")
                        case "MAIL":
                            sender, recipients = _address(rest), []
                            self._say("250 ok")
                        case "RCPT":
                            recipients.append(_address(rest))
                            self._say("250 ok")
                        case "DATA" if outer.refused:
                            outer.refused -= 1
                            self._say("451 try again later")
                        case "DATA":
                            self._say("354 go on")
                            kept = Received(sender, tuple(recipients), self._read(), login)
                            outer.received.put(kept)
                            self._say("250 kept")
                        case "QUIT":
                            self._say("221 bye")
                            return
                        case _:
                            self._say("250 ok")

            def _say(self, *lines: str) -> None:
                self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())

            def _read(self) -> EmailMessage:
                lines = list[bytes]()
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
                return cast(EmailMessage, message_from_bytes(b"".join(lines), policy=policy.default))

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def next(self) -> Received:
        """The next message; waits for it."""
        return self.received.get(timeout=WAIT_S)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _address(argument: str) -> str:
    return argument.partition("<")[2].partition(">")[0]
