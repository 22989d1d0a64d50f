"""Notices of new questions by e-mail, against a mail server on a local port."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from console_client import form_token
from served_platform import Serve, Served
from smtp_server import SmtpServer
from sqlalchemy import select, update

from services.console.pages import TEXTS
from services.questions.mail import MailServer, notice_letter
from services.questions.notices import DueNotice, Notices
from services.settings import read_settings
from services.store import tables
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.courses import Course, CourseId, Role, TurnId
from vta.types.inbox import QuestionState, WaitingQuestion

COURSE = CourseId("stacks-en")
QUESTION = "Will the final exam\ncover undo stacks?"


@pytest.fixture
def api(serve: Serve, mail: SmtpServer) -> Served:
    url = f"smtp://vta:pa%20ss@127.0.0.1:{mail.port}"
    return serve(smtp_url=url, mail_from="VTA <vta@uni.example>", public_url="https://vta.example")


def hand_on(api: Served, question: str = QUESTION) -> None:
    api.ask_ta(question)


def make_due(api: Served) -> None:
    """What stands in the future is due now, and what was asked was asked a minute ago."""
    table, now = tables.course_notices, datetime.now(UTC)
    due = {"next_at": now - timedelta(seconds=1), "told_until": now - timedelta(hours=1)}
    asked = {"created_at": now - timedelta(minutes=1)}
    with api.platform.stores.engine.begin() as connection:
        connection.execute(update(table).where(table.c.next_at.is_not(None)).values(due))
        connection.execute(update(tables.waiting_questions).values(asked))


def put(api: Served, **notices: object) -> httpx.Response:
    address = f"/v1/courses/{COURSE}/settings/notices"
    return api.client.put(address, json=notices, headers=api.bearer())


def test_instructors_get_an_e_mail_of_new_questions(api: Served, mail: SmtpServer) -> None:
    """Handed in once for all, with the questions and the way to the inbox; refused ones come again."""
    recipients = ["ann@uni.example", "bo@uni.example"]
    assert put(api, recipients=recipients, pace="at_once").json()["recipients"] == recipients
    hand_on(api)
    make_due(api)
    mail.refused = 1
    assert api.platform.mail_worker.send_due() == 0
    make_due(api)
    assert api.platform.mail_worker.send_due() == 1
    assert api.platform.mail_worker.send_due() == 0
    received = mail.next()
    assert (received.sender, received.recipients) == ("vta@uni.example", tuple(recipients))
    assert received.login == "\0vta\0pa ss"
    message, text = received.message, received.message.get_content()
    assert "1 new, 1 waiting" in str(message["Subject"])
    assert "ann@uni.example" not in message.as_string()
    assert "- Will the final exam cover undo stacks?" in text
    assert f"https://vta.example/console/{COURSE}/inbox" in text
    assert message["Auto-Submitted"] == "auto-generated"


def test_a_mail_server_that_is_away_is_no_more_than_a_line_in_the_log(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    """The notice stays due, and no password is logged."""
    api = serve(smtp_url="smtp://vta:canary@127.0.0.1:9", mail_from="vta@uni.example")
    put(api, recipients=["ann@uni.example"])
    hand_on(api)
    make_due(api)
    with caplog.at_level(logging.WARNING):
        assert api.platform.mail_worker.send_due() == 0
    assert "no notice of course stacks-en" in caplog.text
    assert "canary" not in caplog.text + repr(api.platform.settings)
    make_due(api)
    assert len(api.platform.stores.notices.claim()) == 1


@pytest.fixture
def asked(api: Served) -> tuple[dict[str, str], str]:
    """The header of a learner whose platform gave an address, and a session in which a question waits."""
    body = {"learner_id": "ann", "email": "ann@uni.example"}
    address = f"/v1/courses/{COURSE}/visitors"
    token = api.client.post(address, json=body, headers=api.bearer(Role.PLATFORM)).json()["token"]
    learner = {"Authorization": f"Bearer {token}"}
    turn = api.ask("Will the exam cover undo stacks?", headers=learner)
    handed = api.client.post(f"/v1/courses/{COURSE}/turns/{turn['turn_id']}/ask-ta", headers=learner)
    assert handed.is_success
    return learner, turn["session_id"]


def later(api: Served, **by: float) -> None:
    """Let the time pass after which whoever has not seen an answer is written to."""
    table = tables.waiting_questions
    with api.platform.stores.engine.begin() as connection:
        for row in connection.execute(select(table.c.id, table.c.mail_at, table.c.resolved_at)).all():
            moved = {name: getattr(row, name) for name in ("mail_at", "resolved_at")}
            moved = {name: at and at - timedelta(**by) for name, at in moved.items()}
            connection.execute(update(table).filter_by(id=row.id).values(moved))


def settle(api: Served, what: str, **body: object) -> None:
    (waiting,) = api.platform.stores.asked.all_questions(COURSE, QuestionState.WAITING)
    address = f"/v1/courses/{COURSE}/questions/{what}"
    reply = api.client.post(address, json={"questions": [waiting.id], **body}, headers=api.bearer())
    assert reply.is_success, reply.text


def test_a_student_who_was_not_there_gets_the_answer_by_e_mail(
    api: Served, mail: SmtpServer, asked: tuple[dict[str, str], str]
) -> None:
    """Once, ten minutes after the TA answered, to their own address; the export names it."""
    settle(api, "answer", entry={"question": "Does the exam cover undo?", "answer": "**Yes**, chapter 4."})
    assert api.platform.mail_worker.send_due() == 0
    later(api, minutes=11)
    assert api.platform.mail_worker.send_due() == 1
    assert api.platform.mail_worker.send_due() == 0
    received = mail.next()
    assert received.recipients == ("ann@uni.example",)
    text = received.message.get_content()
    assert "> Will the exam cover undo stacks?" in text
    assert "**Yes**, chapter 4." in text
    address = f"/v1/courses/{COURSE}/learners/ann"
    (session,) = api.client.get(address, headers=api.bearer(Role.PLATFORM)).json()["sessions"]
    assert session["turns"][0]["ta_email"] == "ann@uni.example"


def test_who_has_seen_the_answer_gets_no_e_mail(api: Served, asked: tuple[dict[str, str], str]) -> None:
    """Nothing is due any more."""
    learner, session = asked
    settle(api, "reject", reason="Ask in class.")
    seen = f"/v1/courses/{COURSE}/sessions/{session}/ta-answers/seen"
    assert api.client.post(seen, headers=learner).is_success
    later(api, days=1)
    assert api.platform.mail_worker.send_due() == 0


def test_an_answer_that_no_server_takes_is_given_up_after_a_day(
    api: Served, mail: SmtpServer, asked: tuple[dict[str, str], str]
) -> None:
    """It is tried again until then; what was asked back is sent like an answer to all."""
    settle(api, "reply", text="Which exam?", asks_back=True)
    later(api, minutes=11)
    mail.refused = 1
    assert api.platform.mail_worker.send_due() == 0
    later(api, minutes=16)
    assert api.platform.mail_worker.send_due() == 1
    text = mail.next().message.get_content()
    assert "Which exam?" in text
    assert "reply in the course's teaching assistant" in text
    table = tables.waiting_questions
    with api.platform.stores.engine.begin() as connection:
        connection.execute(update(table).values(mail_at=datetime.now(UTC)))
    later(api, days=2)
    mail.refused = 1
    assert api.platform.mail_worker.send_due() == 0
    later(api, days=1)
    assert api.platform.mail_worker.send_due() == 0


def test_an_address_that_is_none_is_refused(api: Served) -> None:
    """With the field, and without a token."""
    address, platform = f"/v1/courses/{COURSE}/visitors", api.bearer(Role.PLATFORM)
    refused = api.client.post(address, json={"learner_id": "ann", "email": "no address"}, headers=platform)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "email")


def test_the_console_keeps_who_is_told(api: Served, ann: httpx.Client) -> None:
    """Checked, with the fault beside the form; without a mail server the page says that none goes out."""
    address = f"/console/{COURSE}/settings/notices"
    assert 'data-testid="no-mail"' not in ann.get(address).text
    form = {
        "csrf": form_token(ann),
        "recipients": "ann@uni.example\nbo@uni.example",
        "pace": "at_once",
        "hour": "7",
    }
    assert ann.post(address, data=form | {"tells_platform": "on"}).status_code == 303
    kept = api.platform.stores.notices.notices(COURSE)
    assert (kept.recipients, kept.hour) == (("ann@uni.example", "bo@uni.example"), 7)
    assert kept.tells_platform
    refused = ann.post(address, data=form | {"recipients": "no address"})
    assert (refused.status_code, refused.text.count('data-testid="fault"')) == (422, 1)
    assert ">no address</textarea>" in refused.text
    assert f'href="{address}"' in ann.get(f"/console/{COURSE}/settings").text


def test_a_letter_is_in_the_language_of_its_course() -> None:
    """A name with a line break begins no header; long lists are cut and say so."""
    course = Course(id=CourseId("ds"), name="数据\nBcc: x@y", domains=("d",), language=Language.ZH)
    moment = datetime(2024, 3, 1, tzinfo=UTC)
    waits = QuestionState.WAITING
    question = WaitingQuestion(
        id="q", course_id=course.id, turn_id=TurnId("t"), question="长" * 300, state=waits, created_at=moment
    )
    due = DueNotice(course=course, notices=Notices(), questions=(question,), new=5, waiting=7, at=moment)
    server = MailServer(url="smtp://localhost", sender="vta@uni.example")
    message = server.message(notice_letter(due, None), ["ann@uni.example"])
    assert message["Subject"] == "数据 Bcc: x@y：新提问 5 个，待答 7 个"
    assert message["Bcc"] is None
    assert "另有 4 个" in message.get_content()
    assert "长" * 201 not in message.get_content()


def test_a_mail_server_needs_a_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start is refused, and says which variable is missing."""
    monkeypatch.setenv("VTA_SMTP_URL", "smtp://mail.example")
    with pytest.raises(InvalidInput) as refused:
        read_settings()
    assert refused.value.field == "VTA_MAIL_FROM"


@pytest.mark.parametrize("language", Language)
def test_every_message_has_a_name_in_the_console(language: Language) -> None:
    """Those of the webhook too."""
    for kind in ("answered", "rejected", "replied", "waiting"):
        assert TEXTS[language][f"delivery_question_{kind}"]
