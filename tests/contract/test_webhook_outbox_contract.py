"""The outbox of webhooks, on each database: written with the answer, in order, one process a try."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import pytest
from clocks import SetClock

from services.stores import Stores
from services.webhooks.rows import DeliveryOutcome, DeliveryReason, Ingested
from services.webhooks.store import CLAIMED_FOR, DELAYS_S, GIVEN_UP_AFTER, SqlWebhooks
from vta.errors import Conflict, InvalidInput
from vta.types.courses import CourseId, TurnId
from vta.types.faq import FaqDraft

DS, ML = CourseId("ds"), CourseId("ml")
URL, SECRET = "https://learn.example/vta", "whsec_" + "QUJD" * 8
HEARD, BUSY = (
    DeliveryOutcome(status=204, reason=DeliveryReason.HEARD),
    DeliveryOutcome(status=500, reason=DeliveryReason.NOT_ACCEPTED),
)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2024, 3, 1, 8, 10, tzinfo=UTC))  # minutes after the clock of the other stores


@pytest.fixture
def stores(stores: Stores) -> Stores:
    for course in (DS, ML):
        stores.settings.change(course, lambda found: replace(found, webhook_url=URL))
        stores.webhooks.keep_secret(course, SECRET)
    return stores


@pytest.fixture
def webhooks(stores, clock) -> SqlWebhooks:
    return SqlWebhooks(stores.engine, clock)


def answer(stores: Stores, samples, turn: str, course: CourseId = DS, learner: str | None = None) -> str:
    """A question that waited and was answered; returns its id."""
    stores.sessions.record(
        samples.question(course, f"问 {turn}", learner=learner), samples.answer(turn, f"s-{turn}", course)
    )
    waiting = stores.asked.ask_ta(course, TurnId(turn)).id
    draft = FaqDraft(question=f"问 {turn}", answer=f"答 {turn}")
    stores.ta_queue.answer(course, [waiting], draft, editor="ann")
    return waiting


def told(outgoing) -> list[str]:
    return [each.data["question"] for each in outgoing]


def test_an_answer_and_its_delivery_are_written_together(stores, samples, webhooks):
    """What fails to be published is told to nobody; what is published waits, with its askers."""
    waiting = answer(stores, samples, "t1", learner="visitor:ann")
    with pytest.raises(Conflict):
        stores.ta_queue.answer(DS, [waiting], FaqDraft(question="再问", answer="答"), editor="bo")
    (outgoing,) = webhooks.claim()
    assert (outgoing.course_id, outgoing.url, outgoing.secret) == (DS, URL, SECRET)
    assert SECRET not in repr(outgoing)
    assert (outgoing.data["question"], outgoing.data["answer"]) == ("问 t1", "答 t1")
    assert outgoing.data["askers"] == [
        {
            "question_id": waiting,
            "turn_id": "t1",
            "session_id": "s-t1",
            "learner_id": "visitor:ann",
            "question": "问 t1",
        }
    ]


def test_a_course_is_told_in_order_and_no_course_waits_for_another(stores, samples, webhooks, clock):
    """The second is tried once the first is settled; another course is not held up."""
    for turn, course in (("t1", DS), ("t2", DS), ("t3", ML)):
        answer(stores, samples, turn, course)
    first, other = sorted(webhooks.claim(), key=lambda each: each.course_id)
    assert told([first, other]) == ["问 t1", "问 t3"]
    webhooks.settle(first, BUSY)
    webhooks.settle(other, HEARD)
    assert webhooks.claim() == ()
    clock.moment += timedelta(seconds=DELAYS_S[0])
    (again,) = webhooks.claim()
    assert (again.id, again.created_at) == (first.id, first.created_at)
    webhooks.settle(again, HEARD)
    assert told(webhooks.claim()) == ["问 t2"]
    assert [each.state for each in webhooks.deliveries(DS)] == ["waiting", "delivered"]
    assert [each.attempts for each in webhooks.deliveries(DS)] == [1, 2]
    assert (webhooks.waiting(DS), webhooks.waiting(ML)) == (1, 0)


def test_what_one_process_tries_no_other_does(stores, samples, webhooks, clock):
    """Of many that claim at once one has it; when its claim has ended another may, and its word is late."""
    answer(stores, samples, "t1")
    others = [SqlWebhooks(stores.engine, clock) for _ in range(6)]
    with ThreadPoolExecutor(6) as processes:
        claims = list(processes.map(lambda each: each.claim(), others))
    assert sorted(map(len, claims)) == [0, 0, 0, 0, 0, 1]
    (lost,) = next(each for each in claims if each)
    clock.moment += CLAIMED_FOR
    (taken,) = webhooks.claim()
    assert taken.id == lost.id
    webhooks.settle(lost, BUSY)
    assert webhooks.deliveries(DS)[0].status is None
    webhooks.settle(taken, HEARD)
    assert webhooks.deliveries(DS)[0].state == "delivered"


def test_a_platform_that_does_not_hear_is_tried_for_a_day(stores, samples, webhooks, clock):
    """Ever more seldom, then given up, and the next is told."""
    answer(stores, samples, "t1")
    answer(stores, samples, "t2")
    waits = []
    begun = clock.moment
    (outgoing,) = webhooks.claim()
    while outgoing.data["question"] == "问 t1":
        webhooks.settle(outgoing, BUSY)
        tried = clock.moment
        while not (due := webhooks.claim()):
            clock.moment += timedelta(seconds=1 if clock.moment - tried < timedelta(seconds=120) else 60)
        waits.append((clock.moment - tried).total_seconds())
        (outgoing,) = due
    assert waits[:8] == list(DELAYS_S)
    assert set(waits[8:-1]) == {DELAYS_S[-1]}
    assert GIVEN_UP_AFTER <= clock.moment - begun < GIVEN_UP_AFTER + timedelta(hours=3)
    oldest = webhooks.deliveries(DS)[-1]
    assert (oldest.state, oldest.status, oldest.reason) == ("failed", 500, "not_accepted")


def test_another_address_is_tried_at_once_and_none_gives_up(stores, samples, webhooks, clock):
    """What waits goes to the new address, signed with the secret of now; without an address it has failed."""
    answer(stores, samples, "t1")
    (outgoing,) = webhooks.claim()
    webhooks.settle(outgoing, BUSY)
    assert webhooks.claim() == ()
    stores.settings.change(DS, lambda found: replace(found, webhook_url=f"{URL}/2"))
    stores.webhooks.keep_secret(DS, SECRET.replace("Q", "R"))
    (again,) = webhooks.claim()
    assert (again.id, again.url, again.secret) == (outgoing.id, f"{URL}/2", SECRET.replace("Q", "R"))
    stores.settings.change(DS, lambda found: replace(found, webhook_url=None))
    assert [each.state for each in webhooks.deliveries(DS)] == ["failed"]
    webhooks.settle(again, HEARD)  # late
    assert [each.state for each in webhooks.deliveries(DS)] == ["failed"]
    answer(stores, samples, "t2")
    assert len(webhooks.deliveries(DS)) == 1
    for refused in (webhooks.test, lambda course: webhooks.keep_secret(course, SECRET)):
        with pytest.raises(InvalidInput):
            refused(DS)


def test_an_erased_learner_is_told_of_to_nobody(stores, samples, webhooks):
    """The delivery keeps no copy of what they asked."""
    answer(stores, samples, "t1", learner="visitor:ann")
    stores.privacy.erase(DS, "visitor:ann", vouched=True)
    (outgoing,) = webhooks.claim()
    assert outgoing.data["askers"] == []


def test_a_removed_course_takes_its_webhook_with_it(stores, samples, webhooks):
    """A course of the same id, made anew, tells nobody."""
    answer(stores, samples, "t1")
    course = stores.courses.course(DS)
    stores.courses.remove(DS)
    assert webhooks.claim() == ()
    stores.courses.add(replace(course))
    assert (stores.settings.settings(DS).webhook_url, webhooks.deliveries(DS)) == (None, ())
    assert not webhooks.has_secret(DS)


def test_rejections_and_private_replies_are_told_too(stores, samples, webhooks):
    """With the reason, or with what was written to the asker; as it stands when it is told."""
    for turn in ("t1", "t2"):
        stores.sessions.record(
            samples.question(DS, f"问 {turn}", learner="visitor:ann"), samples.answer(turn, f"s-{turn}", DS)
        )
    first, second = (stores.asked.ask_ta(DS, TurnId(turn)).id for turn in ("t1", "t2"))
    stores.ta_queue.reject(DS, [first], reason="不在课程里")
    stores.threads.reply(DS, [second], "哪一题？", author="ann", asks_back=True)
    (rejected,) = webhooks.claim()
    assert (rejected.kind, rejected.data["reason"]) == ("question.rejected", "不在课程里")
    webhooks.settle(rejected, HEARD)
    (replied,) = webhooks.claim()
    assert (replied.kind, replied.data["reply"]) == ("question.replied", "哪一题？")
    assert (replied.data["asks_back"], "answer" in replied.data) == (True, False)
    assert [each["learner_id"] for each in replied.data["askers"]] == ["visitor:ann"]


def test_an_upload_is_told_with_its_counts(stores, webhooks):
    """Only where the course has an address."""
    told = Ingested(ingest_id="i1", failed=False, added=3, rejected=1)
    webhooks.note_ingest(DS, told)
    (outgoing,) = webhooks.claim()
    assert (outgoing.kind, outgoing.data) == ("ingest.done", {"course_id": DS, **asdict(told)})
    webhooks.settle(outgoing, HEARD)
    stores.settings.change(DS, lambda found: replace(found, webhook_url=None))
    webhooks.note_ingest(DS, told)
    assert webhooks.claim() == ()
