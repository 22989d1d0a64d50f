"""E-mails in the language of the course: notices of new questions, invitations, and answers to askers."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from urllib.parse import unquote, urlsplit

from services.questions.notices import DueNotice, UnseenAnswer
from services.stores import Stores
from vta.texts import read_texts
from vta.types.courses import Course
from vta.types.inbox import QuestionState, TaAnswer

LONGEST_LINE = 200
"""Characters of a question in the list."""
_TEXTS = read_texts("services.questions", "mail.toml")


Letter = tuple[str, list[str]]
"""A subject, and the lines of the text."""


def notice_letter(due: DueNotice, public_url: str | None) -> Letter:
    """The notice of new questions to all its recipients."""
    course, texts = due.course, _TEXTS[due.course.language]
    counts = {"course": " ".join(course.name.split()), "new": due.new, "waiting": due.waiting}
    lines = [texts["new" if due.new else "old"].format_map(counts), ""]
    lines += [f"- {_line(question.asks)}" for question in due.questions]
    if due.new > len(due.questions):
        lines.append(texts["more"].format(count=due.new - len(due.questions)))
    address = f"{(public_url or '').rstrip('/')}/console/{course.id}/inbox"
    lines += ["", texts["inbox"].format(address=address), "", texts["why"]]
    return texts["subject"].format_map(counts), lines


def invitation_letter(course: Course, *, address: str, by: str) -> Letter:
    """The e-mail with an invitation's link."""
    texts = _TEXTS[course.language]
    values = {"course": _line(course.name), "by": _line(by), "link": address}
    said = (texts["invitation_invites"], texts["invitation_link"], texts["invitation_once"])
    lines = [each.format_map(values) for each in said]
    return texts["invitation_subject"].format_map(values), lines


def answer_letter(answer: TaAnswer, course: Course) -> Letter:
    """The e-mail to a student with the outcome of their question."""
    texts = _TEXTS[course.language]
    values = {"course": _line(course.name), "question": _line(answer.question)}
    if answer.state is QuestionState.REJECTED:
        said = texts["declined_because"].format(reason=answer.reason) if answer.reason else texts["declined"]
    else:
        said = answer.answer
    lines = [texts["you_asked"].format_map(values), "", said, ""]
    lines += [texts["answer_back"] if answer.asks_back else texts["answer_place"], texts["answer_why"]]
    return texts["answer_subject"].format_map(values), lines


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


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

    def message(self, letter: Letter, to: Sequence[str]) -> EmailMessage:
        """A letter as an e-mail; several recipients do not see each other."""
        subject, lines = letter
        message = EmailMessage()
        message["Subject"] = subject
        message["From"] = self.sender
        message["To"] = to[0] if len(to) == 1 else "undisclosed-recipients:;"
        message["Date"] = format_datetime(datetime.now(UTC))
        message["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2].rstrip(">") or "localhost")
        message["Auto-Submitted"] = "auto-generated"
        message.set_content("\n".join(lines) + "\n")
        return message

    def send(self, letter: Letter, to: Sequence[str], what: str) -> bool:
        """Hand a letter in; False, and a line in the log, if that failed."""
        try:
            with self._opened() as server:
                server.send_message(self.message(letter, to), to_addrs=to)
        except OSError as failure:  # of which `SMTPException` is one
            _log.warning("no %s: %s", what, type(failure).__name__)
            return False
        return True

    def fault(self) -> str | None:
        """Why no letter can be handed in now, by a log-in without one; None where it can."""
        try:
            with self._opened() as server:
                server.noop()
        except OSError as failure:
            return type(failure).__name__
        return None

    @contextmanager
    def _opened(self) -> Iterator[smtplib.SMTP]:
        """A connection on which the server has taken user and password."""
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
            yield server


class MailWorker:
    """Sends e-mail; `server` is None where none is set up, and then nothing goes out."""

    def __init__(self, stores: Stores, *, server: MailServer | None, public_url: str | None) -> None:
        self._notices, self._unseen, self._queue = stores.notices, stores.unseen_answers, stores.ta_queue
        self._server = server
        self._public_url = public_url

    @property
    def can_send(self) -> bool:
        return self._server is not None

    def fault(self) -> str | None:
        """Why the mail server takes no letter now; None where it does or none is set up."""
        return None if self._server is None else self._server.fault()

    def invite(self, course: Course, to: str, *, address: str, by: str) -> bool:
        """Send the link of an invitation now; whether it was handed in."""
        if self._server is None:
            return False
        letter = invitation_letter(course, address=address, by=by)
        return self._server.send(letter, (to,), f"invitation to course {course.id}")

    def send_due(self) -> int:
        """Send every notice and answer whose time has come; returns how many were sent."""
        if self._server is None:
            return 0
        sent = sum(self._send_notice(self._server, due) for due in self._notices.claim())
        return sent + sum(self._send_answer(self._server, due) for due in self._unseen.claim())

    def _send_answer(self, server: MailServer, due: UnseenAnswer) -> bool:
        answers = self._queue.answers(due.course.id, due.session_id)
        answer = next((each for each in answers if each.turn_id == due.turn_id and not each.seen), None)
        what = f"answer to a student of course {due.course.id}"
        sent = answer is not None and server.send(answer_letter(answer, due.course), (due.email,), what)
        self._unseen.settle(due, sent=sent or answer is None)
        return sent

    def _send_notice(self, server: MailServer, due: DueNotice) -> bool:
        what, to = f"notice of course {due.course.id}", due.notices.recipients
        sent = due.is_worth_sending and server.send(notice_letter(due, self._public_url), to, what)
        self._notices.settle(due, sent=sent or not due.is_worth_sending)
        return sent
