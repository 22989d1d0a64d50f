"""The contract of `SqlTaQueue`, on each database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from services.store import tables
from services.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.faq import FaqDraft, FaqState
from vta.types.inbox import NOBODY, MessageKind, Ta
from vta.types.questions import Position

DS, ML = CourseId("ds"), CourseId("ml")
DRAFT = FaqDraft(question="期末考什么？", answer="前八章。")


def ask(stores: Stores, samples, turn: str, session: str, text: str, course: str = "ds") -> str:
    stores.sessions.record(
        samples.question(course, text, learner=session), samples.answer(turn, session, course)
    )
    return stores.asked.ask_ta(CourseId(course), TurnId(turn)).id


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
    assert stores.asked.all_questions(DS, "waiting") == ()
    assert {w.faq_id for w in stores.asked.all_questions(DS, "answered")} == {entry.id}
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


def test_what_is_written_as_a_draft_is_told_to_nobody(stores, samples):
    """An asker reads what was live last, also a later edit; answering with a draft makes it live."""
    waiting = ask(stores, samples, "t1", "s1", "考试考哪些？")
    entry = stores.ta_queue.answer(DS, [waiting], DRAFT, editor="ann")
    draft = FaqDraft(question=DRAFT.question, answer="前九章？", state=FaqState.DRAFT)
    stores.faq.edit(DS, entry.id, draft, editor="ann", expected=1)
    assert [each.answer for each in stores.ta_queue.answers(DS, SessionId("s1"))] == [DRAFT.answer]
    assert list(stores.documents.pairs()) == []
    later = ask(stores, samples, "t2", "s2", "考到第几章")
    assert stores.ta_queue.answer(DS, [later], entry.id, editor="bo").answers
    assert [each.answer for each in stores.ta_queue.answers(DS, SessionId("s1"))] == ["前九章？"]
    assert len(list(stores.documents.pairs())) == 1


def test_seen_answers_are_marked(stores, samples):
    """`mark_seen` marks those of its own session alone."""
    ids = [ask(stores, samples, "t1", "s1", "一"), ask(stores, samples, "t2", "s2", "二")]
    stores.ta_queue.answer(DS, ids, DRAFT, editor="ann")
    stores.ta_queue.mark_seen(DS, SessionId("s1"))
    assert [a.seen for a in stores.ta_queue.answers(DS, SessionId("s1"))] == [True]
    assert [a.seen for a in stores.ta_queue.answers(DS, SessionId("s2"))] == [False]


def test_a_rejected_asker_reads_the_reason(stores, samples):
    """The session finds the rejection in the place of an answer, with its reason, until it was seen."""
    waiting = ask(stores, samples, "t1", "s1", "你好")
    stores.ta_queue.reject(DS, [waiting], reason="small talk")
    (rejected,) = stores.asked.all_questions(DS)
    assert (rejected.state, rejected.reason) == ("rejected", "small talk")
    (told,) = stores.ta_queue.answers(DS, SessionId("s1"))
    assert (told.turn_id, told.question) == ("t1", "你好")
    assert (told.state, told.reason, told.faq_id, told.answer) == ("rejected", "small talk", None, "")
    assert not told.seen
    stores.ta_queue.mark_seen(DS, SessionId("s1"))
    assert [each.seen for each in stores.ta_queue.answers(DS, SessionId("s1"))] == [True]


def test_an_answer_settles_everyone_who_asked_in_the_same_words(stores, samples):
    """Whoever asked the same, but for case and the marks at its end, is answered though only one is named."""
    named = ask(stores, samples, "t1", "s1", "When is the exam?")
    ask(stores, samples, "t2", "s2", "when is the exam")
    ask(stores, samples, "t3", "s3", "Where is the exam?")
    ask(stores, samples, "t4", "s4", "When is the exam?", course="ml")
    stores.ta_queue.answer(DS, [named], DRAFT, editor="ann")
    assert [w.turn_id for w in stores.asked.all_questions(DS, "waiting")] == ["t3"]
    assert [w.turn_id for w in stores.asked.all_questions(ML, "waiting")] == ["t4"]
    assert [answer.answer for answer in stores.ta_queue.answers(DS, SessionId("s2"))] == [DRAFT.answer]


def test_a_rejection_settles_the_named_questions_alone(stores, samples):
    """The same words may mean something else in another conversation, so only an answer reaches further."""
    named = ask(stores, samples, "t1", "s1", "Why?")
    ask(stores, samples, "t2", "s2", "Why?")
    stores.ta_queue.reject(DS, [named], reason="unclear")
    assert [w.turn_id for w in stores.asked.all_questions(DS, "waiting")] == ["t2"]


@pytest.mark.parametrize("settled", ["answered", "rejected"])
def test_a_settled_question_is_reopened(stores, samples, settled):
    """It waits again as on the first day; what its asker was told is gone, the entry stays."""
    waiting = ask(stores, samples, "t1", "s1", "你好")
    if settled == "answered":
        stores.ta_queue.answer(DS, [waiting], DRAFT, editor="ann")
    else:
        stores.ta_queue.reject(DS, [waiting], reason="small talk")
    stores.ta_queue.mark_seen(DS, SessionId("s1"))
    stores.ta_queue.reopen(DS, [waiting])
    (again,) = stores.asked.all_questions(DS)
    assert (again.state, again.faq_id, again.reason, again.resolved_at) == ("waiting", None, None, None)
    assert stores.ta_queue.answers(DS, SessionId("s1")) == ()
    assert len(stores.faq.entries(DS)) == (1 if settled == "answered" else 0)
    with pytest.raises(Conflict):
        stores.ta_queue.reopen(DS, [waiting])
    with pytest.raises(NotFound):
        stores.ta_queue.reopen(ML, [waiting])


def test_what_is_settled_cannot_be_settled_again(stores, samples):
    """Of a whole request with one settled question nothing is done."""
    first, second = ask(stores, samples, "t1", "s1", "一"), ask(stores, samples, "t2", "s1", "二")
    stores.ta_queue.reject(DS, [first], reason="no")
    with pytest.raises(Conflict, match="rejected already"):
        stores.ta_queue.answer(DS, [first, second], DRAFT, editor="ann")
    assert stores.faq.entries(DS) == ()
    assert [w.turn_id for w in stores.asked.all_questions(DS, "waiting")] == ["t2"]


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


def test_a_reason_from_before_it_was_shown_to_students_stays_private(stores, samples):
    """The asker reads that the question was rejected, but not words written for the course's staff."""
    waiting = ask(stores, samples, "t1", "s1", "你好")
    stores.ta_queue.reject(DS, [waiting], reason="an internal note")
    with stores.engine.begin() as connection:
        connection.execute(update(tables.waiting_questions).values(reason_is_public=False))
    (told,) = stores.ta_queue.answers(DS, SessionId("s1"))
    assert (told.state, told.reason) == ("rejected", None)


def test_questions_are_assigned(stores, samples):
    """To a TA or to nobody; who was assigned stays when a question is settled and waits again."""
    first, second = ask(stores, samples, "t1", "s1", "一"), ask(stores, samples, "t2", "s2", "二")
    bo = Ta(name="bo", id="1")
    stores.ta_queue.assign(DS, [first, second], bo)
    stores.ta_queue.assign(DS, [second], NOBODY)
    assert stores.ta_queue.assigned(DS) == {bo: 1}
    assert stores.ta_queue.assigned(ML) == {}
    stores.ta_queue.reject(DS, [first], reason="no")
    stores.ta_queue.reopen(DS, [first])
    assert [each.assignee for each in stores.asked.all_questions(DS)] == ["bo", None]
    with pytest.raises(NotFound):
        stores.ta_queue.assign(ML, [first], bo)


def test_groups_are_made_by_hand(stores, samples):
    """Each list is a group of its own; of a settled question or another course's nothing is changed."""
    ids = [ask(stores, samples, f"t{number}", "s1", str(number)) for number in range(4)]
    stores.ta_queue.group(DS, [ids[:2], ids[2:3]])
    names = [each.group_id for each in stores.asked.all_questions(DS)]
    assert names[0] == names[1] not in (None, names[2])
    assert (names[2], names[3]) == (names[2] or "none", None)
    stores.ta_queue.reject(DS, ids[3:], reason="no")
    for course, group in ((DS, ids), (ML, ids[:1])):
        with pytest.raises((Conflict, NotFound)):
            stores.ta_queue.group(course, [group])
    assert [each.group_id for each in stores.asked.all_questions(DS)] == names


def test_notes_are_kept_in_order(stores, samples):
    """Each question has its own thread; a note goes with its question."""
    first, second = ask(stores, samples, "t1", "s1", "一"), ask(stores, samples, "t2", "s2", "二")
    stores.threads.note(DS, [first], " who knows? ", author="ann")
    stores.threads.note(DS, [first, second], "I do.", author="bo")
    threads = stores.threads.messages(DS, [first, second])
    assert [(each.kind, each.author, each.text) for each in threads[first]] == [
        (MessageKind.NOTE, "ann", "who knows?"),
        (MessageKind.NOTE, "bo", "I do."),
    ]
    assert [each.text for each in threads[second]] == ["I do."]
    assert stores.threads.messages(ML, [first]) == {}
    for refused in (" ", "x" * 4001):
        with pytest.raises(InvalidInput):
            stores.threads.note(DS, [first], refused, author="ann")
    with pytest.raises(NotFound):
        stores.threads.note(ML, [first], "x", author="ann")
    stores.sessions.delete(DS, SessionId("s1"))
    assert set(stores.threads.messages(DS, [first, second])) == {second}


def test_a_follow_up_waits_with_what_it_asks_by_itself(stores, samples):
    """That joins the entry; the same words of another conversation, which ask something else, wait on."""
    ask(stores, samples, "t1", "s1", "什么是栈？")
    follow_up = ask(stores, samples, "t2", "s1", "为什么？")
    other = ask(stores, samples, "t3", "s2", "为什么？")
    (_, found, _) = stores.asked.all_questions(DS)
    assert (found.question, found.standalone_question, found.asks) == ("为什么？", "什么是栈？", "什么是栈？")
    entry = stores.ta_queue.answer(DS, [follow_up], DRAFT, editor="ann")
    assert entry.draft.similar_questions == ("什么是栈？",)
    assert [each.id for each in stores.asked.all_questions(DS, "waiting")] == [other]


def test_a_question_is_read_with_its_conversation_and_place(stores, samples):
    """The turns just before it in its session, the answer that was given, and the whole position."""
    for number in range(1, 7):
        stores.sessions.record(samples.question(text=f"问 {number}"), samples.answer(f"t{number}"))
    place = Position(unit="u1", video="04.mp4", second=125.5, page=3, heading="Folds")
    asked = replace(samples.question(text="为什么？"), position=place)
    stores.sessions.record(asked, samples.answer("t7", text="因为。"))
    ask(stores, samples, "t8", "s8", "别的")
    found = stores.asked.contexts(DS, [TurnId("t7"), TurnId("t8"), TurnId("none")])
    assert set(found) == {"t7", "t8"}
    context = found[TurnId("t7")]
    assert [turn.question for turn in context.before] == ["问 3", "问 4", "问 5", "问 6"]
    assert (context.turn.answer.text, context.position) == ("因为。", place)
    assert (found[TurnId("t8")].before, found[TurnId("t8")].position) == ((), Position())
    assert stores.asked.contexts(ML, [TurnId("t7")]) == {}


def test_a_private_reply_reaches_one_student_alone(stores, samples):
    """No entry comes of it, and who asked the same words waits on; only the named asker reads it."""
    named, _ = (
        ask(stores, samples, "t1", "s1", "我病了，能晚交吗？"),
        ask(stores, samples, "t2", "s2", "我病了，能晚交吗？"),
    )
    stores.threads.note(DS, [named], "an internal note", author="bo")
    stores.threads.reply(DS, [named], "**可以**。", author="ann", asks_back=False)
    (told,) = stores.ta_queue.answers(DS, SessionId("s1"))
    assert (told.state, told.answer, told.faq_id, told.asks_back) == ("answered", "**可以**。", None, False)
    assert stores.ta_queue.answers(DS, SessionId("s2")) == ()
    assert stores.faq.entries(DS) == ()
    assert list(stores.documents.pairs()) == []
    assert [each.turn_id for each in stores.asked.all_questions(DS, "waiting")] == ["t2"]
    with pytest.raises(Conflict):
        stores.threads.reply(DS, [named], "x", author="ann", asks_back=False)


def test_what_is_asked_back_waits_for_the_student_s_reply(stores, samples):
    """Then the question waits again with the whole thread; without a question back no reply is taken."""
    waiting = ask(stores, samples, "t1", "s1", "为什么错了？")
    with pytest.raises(Conflict):
        stores.threads.respond(DS, TurnId("t1"), "题 3")
    stores.threads.reply(DS, [waiting], "哪一题？", author="ann", asks_back=True)
    assert stores.asked.all_questions(DS, "waiting") == ()
    (told,) = stores.ta_queue.answers(DS, SessionId("s1"))
    assert (told.answer, told.asks_back) == ("哪一题？", True)
    stores.ta_queue.mark_seen(DS, SessionId("s1"))
    again = stores.threads.respond(DS, TurnId("t1"), "题 3")
    assert (again.id, again.state) == (waiting, "waiting")
    assert stores.ta_queue.answers(DS, SessionId("s1")) == ()
    thread = stores.threads.messages(DS, [waiting])[waiting]
    assert [(each.kind, each.text) for each in thread] == [("question", "哪一题？"), ("student", "题 3")]
    with pytest.raises(Conflict):
        stores.threads.respond(DS, TurnId("t1"), "题 4")
    for course, turn in ((ML, "t1"), (DS, "t9")):
        with pytest.raises(NotFound):
            stores.threads.respond(course, TurnId(turn), "x")
    stores.threads.reply(DS, [waiting], "现在对了。", author="ann", asks_back=False)
    (told,) = stores.ta_queue.answers(DS, SessionId("s1"))
    assert (told.answer, told.asks_back, told.seen) == ("现在对了。", False, False)
