"""The contract of `TaQueue`, on each database."""

from __future__ import annotations

import pytest

from services.storage.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound
from vta.types import CourseId, FaqDraft, SessionId, TurnId

DS, ML = CourseId("ds"), CourseId("ml")
DRAFT = FaqDraft(question="期末考什么？", answer="前八章。")


@pytest.fixture
def stores(databases: Stores, samples) -> Stores:
    for course in ("ds", "ml"):
        databases.courses.add(samples.course(course))
    return databases


def ask(stores: Stores, samples, turn: str, session: str, text: str, course: str = "ds") -> str:
    stores.sessions.record(
        samples.question(course, text, learner=session), samples.answer(turn, session, course)
    )
    return stores.sessions.ask_ta(CourseId(course), TurnId(turn)).id


def test_an_answer_is_an_entry_and_reaches_every_asker(stores, samples):
    """Both sessions find the answer, the students' wordings join the entry, and nothing waits any more."""
    ids = [ask(stores, samples, "t1", "s1", "考试考哪些？"), ask(stores, samples, "t2", "s2", "考到第几章")]
    entry = stores.ta_queue.answer(DS, ids, DRAFT, editor="ann")
    assert entry.draft.similar_questions == ("考试考哪些？", "考到第几章")
    for session, turn, question in (("s1", "t1", "考试考哪些？"), ("s2", "t2", "考到第几章")):
        (answer,) = stores.ta_queue.answers(DS, SessionId(session))
        assert (answer.turn_id, answer.question, answer.answer) == (turn, question, DRAFT.answer)
        assert answer.faq_id == entry.id
        assert not answer.seen
    assert stores.sessions.waiting_questions(DS, "waiting") == ()
    assert {w.faq_id for w in stores.sessions.waiting_questions(DS, "answered")} == {entry.id}
    assert [pair.question for pair in stores.documents.pairs()] == [DRAFT.question]


def test_a_question_joins_an_entry_that_is_there(stores, samples):
    """Merging adds the student's wording to the entry as a new version; the asker gets its answer."""
    (entry,) = stores.faq.add(DS, [DRAFT], editor="ann")
    waiting = ask(stores, samples, "t1", "s1", "考试考哪些？")
    merged = stores.ta_queue.answer(DS, [waiting], entry.id, editor="bo")
    assert (merged.id, merged.version, merged.editor) == (entry.id, 2, "bo")
    assert merged.draft.similar_questions == ("考试考哪些？",)
    (answer,) = stores.ta_queue.answers(DS, SessionId("s1"))
    assert answer.answer == DRAFT.answer


def test_an_edited_entry_is_what_the_asker_reads(stores, samples):
    """The answer is the entry's of today."""
    waiting = ask(stores, samples, "t1", "s1", "考试考哪些？")
    entry = stores.ta_queue.answer(DS, [waiting], DRAFT, editor="ann")
    draft = FaqDraft(question=DRAFT.question, answer="前九章。")
    stores.faq.edit(DS, entry.id, draft, editor="ann", expected=1)
    (answer,) = stores.ta_queue.answers(DS, SessionId("s1"))
    assert answer.answer == "前九章。"


def test_seen_answers_are_marked(stores, samples):
    """`mark_seen` marks those of its own session alone."""
    ids = [ask(stores, samples, "t1", "s1", "一"), ask(stores, samples, "t2", "s2", "二")]
    stores.ta_queue.answer(DS, ids, DRAFT, editor="ann")
    stores.ta_queue.mark_seen(DS, SessionId("s1"))
    assert [a.seen for a in stores.ta_queue.answers(DS, SessionId("s1"))] == [True]
    assert [a.seen for a in stores.ta_queue.answers(DS, SessionId("s2"))] == [False]


def test_a_rejected_question_keeps_its_reason(stores, samples):
    """It waits no longer, and no answer comes."""
    waiting = ask(stores, samples, "t1", "s1", "你好")
    stores.ta_queue.reject(DS, [waiting], reason="small talk")
    (rejected,) = stores.sessions.waiting_questions(DS, "rejected")
    assert rejected.reason == "small talk"
    assert stores.ta_queue.answers(DS, SessionId("s1")) == ()


def test_what_is_settled_cannot_be_settled_again(stores, samples):
    """Of a whole request with one settled question nothing is done."""
    first, second = ask(stores, samples, "t1", "s1", "一"), ask(stores, samples, "t2", "s1", "二")
    stores.ta_queue.reject(DS, [first], reason="no")
    with pytest.raises(Conflict, match="rejected already"):
        stores.ta_queue.answer(DS, [first, second], DRAFT, editor="ann")
    assert stores.faq.entries(DS) == ()
    assert [w.turn_id for w in stores.sessions.waiting_questions(DS, "waiting")] == ["t2"]


def test_questions_of_another_course_are_not_there(stores, samples):
    """Neither an answer nor a rejection reaches across courses; nor are sessions seen from there."""
    waiting = ask(stores, samples, "t1", "s1", "一")
    with pytest.raises(NotFound):
        stores.ta_queue.answer(ML, [waiting], DRAFT, editor="ann")
    with pytest.raises(NotFound):
        stores.ta_queue.reject(ML, [waiting], reason="no")
    with pytest.raises(NotFound):
        stores.ta_queue.answers(ML, SessionId("s1"))
    with pytest.raises(NotFound):
        stores.ta_queue.mark_seen(ML, SessionId("s1"))
    with pytest.raises(InvalidInput):
        stores.ta_queue.reject(DS, [], reason="no")
