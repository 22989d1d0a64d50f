"""What every `SessionStore` keeps."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from kept_thumbs import kept_thumbs
from sqlalchemy import select

from services.store import tables
from vta.errors import Conflict, InvalidInput, NotFound
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.inbox import Feedback

DS = CourseId("ds")
ML = CourseId("ml")
S1 = SessionId("s1")


def test_a_turn_comes_back_as_it_was_recorded(stores, samples):
    """The question and every field of the answer, also empty ones, with the clock's time and its zone."""
    answer = samples.answer("t1")
    recorded = stores.sessions.record(samples.question(text="什么是栈？\n"), answer)
    assert (recorded.number, recorded.question, recorded.answer) == (1, "什么是栈？\n", answer)
    empty: dict[str, tuple[()]] = dict.fromkeys(("citations", "concepts", "actions", "trace"), ())
    bare = replace(samples.answer("t2"), ranking=None, degraded=None, **empty)
    stores.sessions.record(samples.question(), bare)
    first, second = stores.sessions.turns(DS, S1)
    assert (first, second.answer) == (recorded, bare)
    start = datetime(2024, 3, 1, 8, 0, 0, 123456, tzinfo=UTC)
    assert start < first.created_at < start + timedelta(seconds=10)


def test_turns_are_numbered_from_one_in_order(stores, samples):
    """Each session counts for itself."""
    for turn, session in (("a", "s1"), ("b", "s2"), ("c", "s1"), ("d", "s1")):
        stores.sessions.record(samples.question(), samples.answer(turn, session))
    assert [(turn.number, turn.id) for turn in stores.sessions.turns(DS, S1)] == [
        (1, "a"),
        (2, "c"),
        (3, "d"),
    ]
    assert [turn.number for turn in stores.sessions.turns(DS, SessionId("s2"))] == [1]


def test_the_last_turns_alone_are_the_end_of_all_turns(stores, samples):
    """In order, with their numbers; more than there are is all of them."""
    for number in range(5):
        stores.sessions.record(samples.question(), samples.answer(f"t{number}"))
    turns = stores.sessions.turns(DS, S1)
    assert stores.sessions.turns(DS, S1, last=2) == turns[-2:]
    assert stores.sessions.turns(DS, S1, last=9) == turns


def test_the_session_of_another_learner_is_not_there(stores, samples):
    """A learner reads their own session and one that nobody owns; another's is as one that never was."""
    owned = replace(samples.question(), learner_id="a")
    stores.sessions.record(owned, samples.answer("t1"))
    assert len(stores.sessions.turns(DS, S1, learner_id="a")) == 1
    with pytest.raises(NotFound) as hidden:
        stores.sessions.turns(DS, S1, learner_id="b")
    with pytest.raises(NotFound) as absent:
        stores.sessions.turns(DS, SessionId("s9"), learner_id="b")
    assert hidden.value.message.replace("s1", "s9") == absent.value.message
    nobodys = replace(samples.question(), learner_id=None)
    stores.sessions.record(nobodys, samples.answer("t2", "s2"))
    assert len(stores.sessions.turns(DS, SessionId("s2"), learner_id="b")) == 1


@pytest.mark.fault(case="T55")
def test_writers_at_the_same_time_leave_no_gap_and_no_duplicate(stores, samples):
    """Eight tabs that open and fill one session together are numbered 1 to 40, each turn once."""

    def write(tab: int) -> list[int]:
        recorded = (
            stores.sessions.record(samples.question(), samples.answer(f"{tab}-{i}")) for i in range(5)
        )
        return [turn.number for turn in recorded]

    with ThreadPoolExecutor(8) as tabs:
        given = list(tabs.map(write, range(8)))
    turns = stores.sessions.turns(DS, S1)
    assert [turn.number for turn in turns] == list(range(1, 41))
    assert sorted(number for numbers in given for number in numbers) == list(range(1, 41))
    for tab in range(8):
        assert [turn.id for turn in turns if turn.id.startswith(f"{tab}-")] == [
            f"{tab}-{i}" for i in range(5)
        ]


def test_one_turn_recorded_by_many_at_once_is_one_turn(stores, samples):
    """A request that is sent again while the first is under way stores nothing twice."""
    with ThreadPoolExecutor(8) as senders:
        sent = [
            senders.submit(stores.sessions.record, samples.question(), samples.answer("t1")) for _ in range(8)
        ]
    assert {recorded.result().number for recorded in sent} == {1}
    assert len(stores.sessions.turns(DS, S1)) == 1


def test_a_turn_recorded_again_is_the_same_turn(stores, samples):
    """It keeps its number and time."""
    first = stores.sessions.record(samples.question(), samples.answer("t1"))
    stores.sessions.record(samples.question(), samples.answer("t2"))
    assert stores.sessions.record(samples.question(), samples.answer("t1")) == first
    assert len(stores.sessions.turns(DS, S1)) == 2


@pytest.mark.parametrize("change", ["question", "text", "session"])
def test_a_turn_id_used_for_other_words_is_a_conflict(stores, samples, change):
    """The first words stay, and no session is opened for the second ones."""
    first = stores.sessions.record(samples.question(), samples.answer("t1"))
    question = samples.question(text="其他" if change == "question" else "什么是栈？")
    answer = samples.answer("t1", session="s9" if change == "session" else "s1")
    if change == "text":
        answer = replace(answer, text="其他")
    with pytest.raises(Conflict, match="'t1'"):
        stores.sessions.record(question, answer)
    assert stores.sessions.turns(DS, S1) == (first,)
    with pytest.raises(NotFound):
        stores.sessions.turns(DS, SessionId("s9"))


def test_a_session_of_another_course_looks_like_one_that_never_was(stores, samples):
    """The error's words are the same, for reading, recording and deleting, and nothing is changed."""
    stores.sessions.record(samples.question(), samples.answer("t1"))
    with pytest.raises(NotFound) as never:
        stores.sessions.turns(ML, SessionId("s0"))
    wanted = never.value.message.replace("s0", "s1")
    with pytest.raises(NotFound) as reading:
        stores.sessions.turns(ML, S1)
    with pytest.raises(NotFound) as recording:
        stores.sessions.record(samples.question("ml"), samples.answer("t2", course_id="ml"))
    with pytest.raises(NotFound) as deleting:
        stores.sessions.delete(ML, S1)
    assert {reading.value.message, recording.value.message, deleting.value.message} == {wanted}
    assert [turn.id for turn in stores.sessions.turns(DS, S1)] == ["t1"]


def test_a_session_of_another_learner_is_not_found(stores, samples):
    """A session is of the first learner that it names, also when it began without one."""
    stores.sessions.record(samples.question(), samples.answer("t1"))
    stores.sessions.record(samples.question(learner="ann"), samples.answer("t2"))
    stores.sessions.record(samples.question(), samples.answer("t3"))
    with pytest.raises(NotFound, match="'s1'"):
        stores.sessions.record(samples.question(learner="bob"), samples.answer("t4"))
    assert [turn.id for turn in stores.sessions.turns(DS, S1)] == ["t1", "t2", "t3"]
    assert stores.privacy.erase(DS, "ann", vouched=True) == 1


def test_a_turn_of_an_unknown_course_is_not_found(stores, samples):
    """Recording makes a session where there is none, but never a course."""
    with pytest.raises(NotFound, match="'nope'"):
        stores.sessions.record(samples.question("nope"), samples.answer("t1", course_id="nope"))


@pytest.mark.parametrize(("course_id", "session"), [("ml", None), ("ds", "s2")])
def test_a_question_and_an_answer_of_different_places_are_refused(stores, samples, course_id, session):
    """Nothing is stored where the two do not belong together."""
    with pytest.raises(InvalidInput):
        stores.sessions.record(samples.question(course_id, session=session), samples.answer("t1"))
    with pytest.raises(NotFound):
        stores.sessions.turns(DS, S1)


def test_a_deleted_session_is_gone_with_all_it_held(stores, samples):
    """Turns, thumbs and questions for the TA go too; other sessions stay; a second time it is not found."""
    for turn, session in (("t1", "s1"), ("t2", "s2")):
        stores.sessions.record(samples.question(), samples.answer(turn, session))
        stores.sessions.feedback(DS, Feedback(turn_id=TurnId(turn), rating="up"))
        stores.asked.ask_ta(DS, TurnId(turn))
    stores.sessions.delete(DS, S1)
    with pytest.raises(NotFound):
        stores.sessions.turns(DS, S1)
    with pytest.raises(NotFound):
        stores.sessions.delete(DS, S1)
    assert [entry.turn_id for entry in stores.asked.all_questions(DS)] == ["t2"]
    assert [thumbs.turn_id for thumbs in kept_thumbs(stores, DS)] == ["t2"]
    assert stores.sessions.record(samples.question(), samples.answer("t1")).number == 1


def test_the_last_feedback_counts(stores, samples):
    """A second rating takes the place of the first, with its reason and comment."""
    stores.sessions.record(samples.question(), samples.answer("t1"))
    stores.sessions.feedback(DS, Feedback(turn_id=TurnId("t1"), rating="down", reason="wrong", comment="错"))
    last = Feedback(turn_id=TurnId("t1"), rating="up")
    stores.sessions.feedback(DS, last)
    assert kept_thumbs(stores, DS) == (last,)


def test_asking_the_ta_twice_gives_the_same_entry(stores, samples):
    """The entry waits, in the student's own words, and keeps its id and time."""
    turn = stores.sessions.record(samples.question(text="为什么？"), samples.answer("t1"))
    entry = stores.asked.ask_ta(DS, turn.id)
    assert (entry.course_id, entry.turn_id, entry.question, entry.state) == (DS, "t1", "为什么？", "waiting")
    assert entry.created_at > turn.created_at
    assert stores.asked.ask_ta(DS, turn.id) == entry
    assert stores.asked.all_questions(DS) == (entry,)


def test_an_address_given_later_is_the_one_that_is_written_to(stores, samples):
    """Asking again without one keeps it."""
    stores.sessions.record(samples.question(), samples.answer("t1"))
    for email in (None, "old@uni.example", "new@uni.example", None):
        stores.asked.ask_ta(DS, TurnId("t1"), email=email)
    with stores.engine.connect() as connection:
        kept = connection.execute(select(tables.waiting_questions.c.email)).scalars().all()
    assert kept == ["new@uni.example"]


def test_asking_the_ta_many_times_at_once_gives_one_entry(stores, samples):
    """Impatient clicks do not fill the queue."""
    stores.sessions.record(samples.question(), samples.answer("t1"))
    with ThreadPoolExecutor(8) as clicks:
        entries = list(clicks.map(lambda _: stores.asked.ask_ta(DS, TurnId("t1")), range(8)))
    assert len(set(entries)) == 1
    assert stores.asked.all_questions(DS) == (entries[0],)


def test_waiting_questions_come_oldest_first_and_by_state(stores, samples):
    """The queue is in the order of asking; nothing is answered yet."""
    for turn in ("z", "a", "m"):
        stores.sessions.record(samples.question(), samples.answer(turn))
        stores.asked.ask_ta(DS, TurnId(turn))
    assert [entry.turn_id for entry in stores.asked.all_questions(DS)] == ["z", "a", "m"]
    assert stores.asked.all_questions(DS, "waiting") == stores.asked.all_questions(DS)
    assert stores.asked.all_questions(DS, "answered") == ()


def test_a_turn_of_another_course_is_not_found(stores, samples):
    """Neither thumbs nor the TA reach across courses, and the error is the one for an unknown turn."""
    stores.sessions.record(samples.question(), samples.answer("t1"))
    with pytest.raises(NotFound) as never:
        stores.asked.ask_ta(ML, TurnId("t0"))
    wanted = never.value.message.replace("t0", "t1")
    with pytest.raises(NotFound) as asking:
        stores.asked.ask_ta(ML, TurnId("t1"))
    with pytest.raises(NotFound) as rating:
        stores.sessions.feedback(ML, Feedback(turn_id=TurnId("t1"), rating="up"))
    assert {asking.value.message, rating.value.message} == {wanted}
    assert stores.asked.all_questions(DS) == stores.asked.all_questions(ML) == ()
    assert kept_thumbs(stores, DS) == kept_thumbs(stores, ML) == ()


def test_an_erased_learner_leaves_nothing_in_the_course(stores, samples):
    """All sessions of the learner in that course go; those of others, and in other courses, stay."""
    for turn, session, course_id, learner in (
        ("t1", "s1", "ds", "ann"),
        ("t2", "s2", "ds", "ann"),
        ("t3", "s3", "ds", "bob"),
        ("t4", "s4", "ds", None),
        ("t5", "s5", "ml", "ann"),
    ):
        stores.sessions.record(
            samples.question(course_id, learner=learner), samples.answer(turn, session, course_id)
        )
        stores.asked.ask_ta(CourseId(course_id), TurnId(turn))
    assert stores.privacy.erase(DS, "ann", vouched=True) == 2
    assert stores.privacy.erase(DS, "ann", vouched=True) == 0
    assert [entry.turn_id for entry in stores.asked.all_questions(DS)] == ["t3", "t4"]
    assert [entry.turn_id for entry in stores.asked.all_questions(ML)] == ["t5"]
    for gone in ("s1", "s2"):
        with pytest.raises(NotFound):
            stores.sessions.turns(DS, SessionId(gone))


@pytest.mark.parametrize("flagged", [False, True])
def test_the_guards_verdict_stays_with_the_turn(stores, samples, flagged):
    """However the turn is read, and when it is recorded again."""
    recorded = stores.sessions.record(samples.question(), samples.answer("t1"), flagged=flagged)
    assert recorded.flagged is flagged
    assert stores.sessions.turns(DS, S1)[0].flagged is flagged
    assert stores.sessions.record(samples.question(), samples.answer("t1"), flagged=flagged) == recorded


def test_two_courses_never_see_each_others_records(stores, samples):
    """Queues and thumbs are each course's own."""
    for course_id in ("ds", "ml"):
        stores.sessions.record(
            samples.question(course_id), samples.answer(f"t-{course_id}", f"s-{course_id}", course_id)
        )
        stores.asked.ask_ta(CourseId(course_id), TurnId(f"t-{course_id}"))
        stores.sessions.feedback(CourseId(course_id), Feedback(turn_id=TurnId(f"t-{course_id}"), rating="up"))
    for course_id in ("ds", "ml"):
        assert [q.turn_id for q in stores.asked.all_questions(CourseId(course_id))] == [f"t-{course_id}"]
        assert [f.turn_id for f in kept_thumbs(stores, CourseId(course_id))] == [f"t-{course_id}"]
