"""Notices of new questions, on each database: due in their time, once, and again where they were not sent."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from services.questions.notices import CLAIMED_FOR, TRIED_AGAIN_AFTER, Notices, Pace, SqlNotices
from services.stores import Stores
from vta.errors import InvalidInput, NotFound
from vta.types.courses import CourseId, TurnId

DS, ML = CourseId("ds"), CourseId("ml")
ANN = Notices(recipients=("ann@uni.example",), pace=Pace.AT_ONCE)


@dataclass
class SetClock:
    """Stands where it is put, but for a millisecond each time it is read."""

    time: datetime

    def now(self) -> datetime:
        self.time += timedelta(milliseconds=1)
        return self.time

    def go_on(self, **by: float) -> None:
        self.time += timedelta(**by)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2024, 3, 1, 8, 30, tzinfo=UTC))


@pytest.fixture
def stores(stores: Stores, clock) -> Stores:
    return Stores(stores.engine, clock)


def ask(stores: Stores, samples, turn: str, course: CourseId = DS) -> str:
    stores.sessions.record(
        samples.question(course, f"问 {turn}", learner=turn), samples.answer(turn, f"s-{turn}", course)
    )
    return stores.asked.ask_ta(course, TurnId(turn)).id


def test_a_notice_at_once_gathers_the_questions_of_a_moment(stores, samples, clock):
    """A minute after the first; the next one ten minutes after the last; none where nothing new waits."""
    stores.notices.keep(DS, ANN)
    clock.go_on(hours=1)
    ask(stores, samples, "t1")
    ask(stores, samples, "t0", ML)
    assert stores.notices.claim() == ()
    ask(stores, samples, "t2")
    clock.go_on(minutes=1)
    (due,) = stores.notices.claim()
    assert ([each.question for each in due.questions], due.new, due.waiting) == (["问 t1", "问 t2"], 2, 2)
    assert (due.course.id, due.notices) == (DS, ANN)
    stores.notices.settle(due, sent=True)
    clock.go_on(minutes=2)
    ask(stores, samples, "t3")
    clock.go_on(minutes=1)
    assert stores.notices.claim() == ()
    clock.go_on(minutes=7)
    (due,) = stores.notices.claim()
    assert ([each.question for each in due.questions], due.waiting) == (["问 t3"], 3)
    stores.notices.settle(due, sent=True)
    clock.go_on(days=3)
    assert stores.notices.claim() == ()


def test_the_daily_notice_comes_at_its_hour_while_something_waits(stores, samples, clock):
    """Also where nothing is new; not any more when all is settled."""
    stores.notices.keep(DS, Notices(recipients=("ann@uni.example",), hour=6))
    waiting = ask(stores, samples, "t1")
    clock.go_on(hours=21)
    assert stores.notices.claim() == ()
    clock.go_on(minutes=30)  # 06:00 of the next day
    (due,) = stores.notices.claim()
    stores.notices.settle(due, sent=True)
    clock.go_on(days=1)
    (again,) = stores.notices.claim()
    assert (due.new, again.new, again.waiting, again.questions) == (1, 0, 1, ())
    stores.ta_queue.reject(DS, [waiting], reason="no")
    stores.notices.settle(again, sent=True)
    clock.go_on(days=2)
    assert stores.notices.claim() == ()


def test_nobody_is_told_of_an_archived_course(stores, samples, clock):
    """Its questions wait until it is opened again."""
    stores.notices.keep(DS, ANN)
    ask(stores, samples, "t1")
    stores.courses.set_archived(DS, True)
    clock.go_on(hours=1)
    assert not any(due.is_worth_sending for due in stores.notices.claim())


def test_one_process_sends_a_notice_and_what_failed_is_tried_again(stores, samples, clock):
    """Of many that look at once one has it; another follows one that died; a failure names all again."""
    stores.notices.keep(DS, ANN)
    ask(stores, samples, "t1")
    clock.go_on(hours=1)
    others = [SqlNotices(stores.engine, clock) for _ in range(4)]
    with ThreadPoolExecutor(4) as processes:
        claims = list(processes.map(lambda each: each.claim(), others))
    assert sorted(map(len, claims)) == [0, 0, 0, 1]
    clock.go_on(seconds=CLAIMED_FOR.total_seconds())
    (due,) = stores.notices.claim()
    stores.notices.settle(due, sent=False)
    assert stores.notices.claim() == ()
    clock.go_on(seconds=TRIED_AGAIN_AFTER.total_seconds())
    (again,) = stores.notices.claim()
    assert [each.question for each in again.questions] == ["问 t1"]


def test_notices_are_checked_and_go_with_their_course(stores, samples):
    """Each once, without white space; no address that could be read as a header; nobody after a removal."""
    kept = stores.notices.keep(DS, replace(ANN, recipients=(" ann@uni.example ", "", "ann@uni.example")))
    assert stores.notices.notices(DS) == kept == ANN
    for wrong in (
        "ann",
        "a@b\nBcc: c@d.example",
        "a@b, c@d.example",
        "张@uni.example",
        "@b",
        "a" * 300 + "@b.c",
    ):
        with pytest.raises(InvalidInput):
            stores.notices.keep(DS, replace(ANN, recipients=(wrong,)))
    for wrong in (replace(ANN, hour=24), replace(ANN, recipients=tuple(f"a{n}@b.c" for n in range(21)))):
        with pytest.raises(InvalidInput):
            stores.notices.keep(DS, wrong)
    with pytest.raises(NotFound):
        stores.notices.keep(CourseId("none"), ANN)
    stores.courses.remove(DS)
    assert stores.notices.notices(DS) == Notices()


def test_the_platform_is_told_of_a_question_only_where_it_is_wished(stores, samples):
    """By the webhook, each question once, also one that waits again after a student's reply."""
    for course in (DS, ML):
        stores.settings.change(course, lambda found: replace(found, webhook_url="https://learn.example"))
    stores.notices.keep(DS, Notices(tells_platform=True))
    ask(stores, samples, "t1")
    stores.asked.ask_ta(DS, TurnId("t1"))
    ask(stores, samples, "t2", ML)
    assert [each.kind for each in stores.webhooks.deliveries(DS)] == ["question.waiting"]
    assert stores.webhooks.deliveries(ML) == ()


def test_the_mail_of_an_answer_given_anew_while_the_first_is_sent_is_not_lost(stores, samples, clock):
    """It is due in its own time; the first, once sent, takes only its own mail off."""
    question = samples.question(learner="t1")
    stores.sessions.record(question, samples.answer("t1", "s1"))
    waiting = stores.asked.ask_ta(DS, TurnId("t1"), email="ann@uni.example").id
    stores.threads.reply(DS, [waiting], "One.", author="Bo", asks_back=False)
    clock.go_on(minutes=11)
    (first,) = stores.unseen_answers.claim()
    stores.ta_queue.reopen(DS, [waiting])
    stores.threads.reply(DS, [waiting], "Two.", author="Bo", asks_back=False)
    stores.unseen_answers.settle(first, sent=True)
    clock.go_on(minutes=11)
    (second,) = stores.unseen_answers.claim()
    stores.unseen_answers.settle(second, sent=True)
    clock.go_on(minutes=11)
    assert stores.unseen_answers.claim() == ()


def test_the_usual_wait_is_the_median_of_the_last_thirty_days(stores, samples, clock):
    """Nothing of fewer than five answers; neither what was declined nor what was answered long ago counts."""
    for number, hours in enumerate((1, 2, 3, 50, 60)):
        waiting = ask(stores, samples, f"t{number}")
        clock.go_on(hours=hours)
        assert stores.asked.usual_wait(DS) is None
        stores.threads.reply(DS, [waiting], "Yes.", author="Bo", asks_back=False)
    declined = ask(stores, samples, "t9")
    stores.ta_queue.reject(DS, [declined], reason="")
    assert round(stores.asked.usual_wait(DS).total_seconds() / 3600, 2) == 3
    assert stores.asked.usual_wait(ML) is None
    clock.go_on(days=28)
    assert stores.asked.usual_wait(DS) is None
