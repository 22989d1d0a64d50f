"""Sends the notices that are due by SMTP, one process each, until told to stop."""

from __future__ import annotations

import asyncio
import logging
import smtplib
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from services.mail.letters import invitation, letter
from services.storage.notices import DueNotice, SqlNotices
from vta.errors import VtaError
from vta.types import Course

LOOKS_EVERY_S = 10.0
LONGEST_TRY_S = 30.0
_LOCAL = ("localhost", "127.0.0.1", "::1")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Where e-mail is handed in: `smtps://` by TLS, `smtp://` by STARTTLS where the server offers it.

    A password goes over an unencrypted connection to this very machine only.
    """

    url: str
    sender: str

    def __repr__(self) -> str:
        return f"MailServer({urlsplit(self.url).hostname})"

    def send(self, message: EmailMessage, recipients: tuple[str, ...]) -> None:
        """Hand one message in. `OSError` (of which `SMTPException` is one) where that failed."""
        parts, context = urlsplit(self.url), ssl.create_default_context()
        host, user = parts.hostname or "", unquote(parts.username or "")
        if parts.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                host, parts.port or 465, timeout=LONGEST_TRY_S, context=context
            )
        else:
            server = smtplib.SMTP(host, parts.port or 587, timeout=LONGEST_TRY_S)
        with server:
            server.ehlo()
            encrypted = parts.scheme == "smtps"
            if not encrypted and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
                encrypted = True
            if user:
                if not encrypted and host not in _LOCAL:
                    raise smtplib.SMTPException("the server offers no encryption for the password")
                server.login(user, unquote(parts.password or ""))
            server.send_message(message, to_addrs=recipients)


class Postman:
    """Looks for notices that are due; `server` is None where no e-mail is set up, and then none goes out."""

    def __init__(self, *, notices: SqlNotices, server: MailServer | None, public_url: str | None) -> None:
        self._notices = notices
        self._server = server
        self._public_url = public_url

    @property
    def can_send(self) -> bool:
        """Whether e-mail is set up."""
        return self._server is not None

    def invite(self, course: Course, to: str, *, address: str, by: str) -> bool:
        """Send the link of an invitation now; whether it was handed in."""
        if self._server is None:
            return False
        message = invitation(
            course, to=to, address=address, by=by, sender=self._server.sender, at=datetime.now(UTC)
        )
        try:
            self._server.send(message, (to,))
        except OSError as failure:
            _log.warning("no invitation to course %s: %s", course.id, type(failure).__name__)
            return False
        return True

    async def carry(self, stop: asyncio.Event) -> None:
        """Send what is due until told to stop; a try that was begun is ended first."""
        while self._server is not None and not stop.is_set():
            try:
                await asyncio.to_thread(self.send_due)
            except VtaError as failure:
                _log.warning("the notices cannot be read: %s", failure.message)
            except Exception:
                _log.exception("notices cannot be sent")
            try:
                async with asyncio.timeout(LOOKS_EVERY_S):
                    await stop.wait()
            except TimeoutError:
                pass

    def send_due(self) -> int:
        """Send every notice whose time has come; returns how many were sent."""
        if self._server is None:
            return 0
        return sum(self._sent(self._server, due) for due in self._notices.claim())

    def _sent(self, server: MailServer, due: DueNotice) -> bool:
        sent = not due.is_worth_sending
        if due.is_worth_sending:
            message = letter(due, sender=server.sender, public_url=self._public_url)
            try:
                server.send(message, due.notices.recipients)
                sent = True
            except OSError as failure:
                _log.warning("no notice of course %s: %s", due.course.id, type(failure).__name__)
        self._notices.settle(due, sent=sent)
        return sent and due.is_worth_sending
