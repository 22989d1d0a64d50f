"""The contracts of `SqlAnswerTemplates` and `SqlQuestionReaders`, on each database."""

from __future__ import annotations

import pytest

from services.questions.desk import MOST, SHOWN_FOR
from services.store import tables
from vta.errors import InvalidInput, NotFound
from vta.types.courses import CourseId, TurnId
from vta.types.inbox import LONGEST_MESSAGE, Ta

DS, ML = CourseId("ds"), CourseId("ml")


def texts(stores, course=DS):
    return [each.text for each in stores.answer_templates.templates(course)]


def test_templates_are_kept_once_and_removed(stores):
    """Each course has its own, oldest first; a text that is there is not kept twice."""
    for text in (" Look at the syllabus. ", "See 第二章。", "Look at the syllabus."):
        stores.answer_templates.keep(DS, text)
    assert (texts(stores), texts(stores, ML)) == (["Look at the syllabus.", "See 第二章。"], [])
    first, second = stores.answer_templates.templates(DS)
    assert stores.answer_templates.text(DS, second.id) == "See 第二章。"
    stores.answer_templates.remove(ML, first.id)
    assert len(texts(stores)) == 2
    for _ in range(2):
        stores.answer_templates.remove(DS, first.id)
    assert texts(stores) == ["See 第二章。"]
    with pytest.raises(InvalidInput):
        stores.answer_templates.text(DS, first.id)
    stores.courses.remove(DS)
    assert texts(stores) == []


def test_a_template_that_cannot_be_kept_is_refused(stores):
    """An empty one, a long one, one too many, and one of no course."""
    for text in (" \n", "x" * (LONGEST_MESSAGE + 1)):
        with pytest.raises(InvalidInput):
            stores.answer_templates.keep(DS, text)
    for number in range(MOST):
        stores.answer_templates.keep(DS, f"Text {number}")
    with pytest.raises(InvalidInput, match="remove one first"):
        stores.answer_templates.keep(DS, "One more")
    assert len(texts(stores)) == MOST
    with pytest.raises(NotFound):
        stores.answer_templates.keep(CourseId("none"), "x")


def test_who_opened_a_question_is_told_to_the_others(stores, samples):
    """Of a group each reader once, with their last opening; erased with the question."""
    ids = []
    for turn in ("t1", "t2"):
        stores.sessions.record(samples.question("ds", "一", learner="l"), samples.answer(turn, "s1", "ds"))
        ids.append(stores.asked.ask_ta(DS, TurnId(turn)).id)
    group = stores.asked.all_questions(DS)
    ann, bo = Ta(name="Ann", id="1"), Ta(name="Bo")
    readers = stores.question_readers
    readers.note(ids, ann)
    readers.note(ids[1:], ann)
    readers.note(ids[:1], bo)
    assert readers.others([group], ann)[ids[0]][0].name == "Bo"
    (told,) = readers.others([group], bo)[ids[0]]
    (latest,) = readers.others([group[1:]], bo)[ids[1]]
    (first,) = readers.others([group[:1]], bo)[ids[0]]
    assert told == latest
    assert first.opened_at < latest.opened_at < first.opened_at + SHOWN_FOR
    stores.courses.remove(DS)
    with stores.engine.connect() as connection:
        assert connection.execute(tables.question_readers.select()).all() == []
