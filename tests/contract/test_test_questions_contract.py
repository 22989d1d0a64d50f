"""The contract of `SqlTestQuestions`, on each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from services.store.transactions import writing
from services.test_questions.store import MOST, CourseTest, Outcome, Run, clean, put_tests
from vta.errors import InvalidInput, NotFound
from vta.types.answers import Route
from vta.types.courses import CourseId

DS, ML = CourseId("ds"), CourseId("ml")
STACK = clean(CourseTest(question="什么是栈？", place="notes/stack.md#栈", made_by="Ann"))
QUEUE = clean(CourseTest(question="What is a queue?", words=("rear", "front")))


def outcome(test, *, right=True, place="notes/stack.md", sentence="A stack."):
    return Outcome(id=test.id, route=Route.DIRECT, sentence=sentence, place=place, right=right)


def run(minute, *outcomes):
    return Run(at=datetime(2026, 11, 29, 2, minute, tzinfo=UTC), revision=minute, outcomes=outcomes)


def kept(stores, course=DS):
    return [each.question for each in stores.test_questions.read(course).tests]


def test_test_questions_are_kept_once_by_their_wording(stores):
    """Each course has its own, oldest first; the same question takes the place of the one before."""
    for each in (STACK, QUEUE, replace(STACK, question="什么是栈", place="notes/queue.md")):
        stores.test_questions.keep(DS, each)
    assert (kept(stores), kept(stores, ML)) == (["What is a queue?", "什么是栈"], [])
    queue, stack = stores.test_questions.read(DS).tests
    assert replace(queue, made_at=None) == QUEUE
    assert (stack.place, stack.made_by, stack.made_at.year) == ("notes/queue.md", "Ann", 2024)
    stores.test_questions.keep(DS, replace(queue, question="And a queue?"), instead=queue.id)
    stores.test_questions.keep(DS, QUEUE, instead=stores.test_questions.read(DS).tests[1].id)
    stores.test_questions.remove(ML, stack.id)
    for _ in range(2):
        stores.test_questions.remove(DS, stack.id)
    assert kept(stores) == ["What is a queue?"]
    stores.courses.remove(DS)
    with pytest.raises(NotFound):
        stores.test_questions.read(DS)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (replace(STACK, question=" "), "question"),
        (replace(STACK, question="x" * 4001), "question"),
        (replace(STACK, place=" "), "place"),
        (replace(STACK, place="x" * 1001), "place"),
        (replace(STACK, place="a\0"), "place"),
        (replace(QUEUE, words=("x" * 600, "y" * 600)), "words"),
    ],
)
def test_what_cannot_be_kept_is_named(stores, given, field):
    """And nothing is stored."""
    with pytest.raises(InvalidInput) as refused:
        stores.test_questions.keep(DS, given)
    assert refused.value.field == field
    assert kept(stores) == []


def test_one_too_many_is_refused_and_so_is_an_unknown_course(stores):
    """The limit is on what is there beside the one that it replaces."""
    many = tuple(clean(replace(QUEUE, question=f"What is {n}?")) for n in range(MOST))
    with writing(stores.engine) as connection:
        put_tests(connection, DS, many)
    stores.test_questions.keep(DS, many[3])
    with pytest.raises(InvalidInput):
        stores.test_questions.keep(DS, STACK)
    with pytest.raises(NotFound):
        stores.test_questions.keep(CourseId("none"), STACK)


def test_the_last_run_stands_beside_the_last_one_that_differs(stores):
    """One that comes out the same takes the place of the last; a new sentence alone is no difference."""
    of = (stores.test_questions.keep(DS, STACK),)
    runs = (
        run(1, outcome(STACK)),
        run(2, outcome(STACK, sentence="In 6 days.")),
        run(3, outcome(STACK, right=False, place="b.md")),
        run(4, outcome(STACK, right=False, place="b.md"), outcome(QUEUE)),
        run(5, outcome(STACK, right=False, place="c.md")),
    )
    seen = []
    for each in runs:
        stores.test_questions.record(DS, each, stamp="s", of=of)
        seen.append([found.revision for found in stores.test_questions.read(DS).runs])
    assert seen == [[1], [2], [3, 2], [4, 2], [5, 4]]
    assert stores.test_questions.read(DS).runs == (runs[4], runs[3])


def test_a_change_of_the_questions_and_a_wish_ask_for_a_run(stores):
    """Also one that was made while the run was under way."""
    of = (stores.test_questions.keep(DS, STACK),)
    assert stores.test_questions.stamps() == {DS: ("", (None, None))}
    stores.test_questions.record(DS, run(1, outcome(STACK)), stamp="s", of=of)
    assert stores.test_questions.stamps()[DS][0] == "s"
    stores.test_questions.ask_for_run(DS)
    assert stores.test_questions.stamps()[DS][0] == ""
    stores.test_questions.keep(DS, QUEUE)
    stores.test_questions.record(DS, run(2, outcome(STACK)), stamp="s", of=of)
    assert stores.test_questions.stamps()[DS][0] == ""
    stores.test_questions.record(DS, run(3), stamp="s", of=stores.test_questions.read(DS).tests)
    stores.test_questions.remove(DS, QUEUE.id)
    assert stores.test_questions.stamps()[DS][0] == ""
    assert [each.revision for each in stores.test_questions.read(DS).runs] == [3]


def test_two_who_keep_at_once_both_keep(stores):
    """Nothing of the other is written over."""
    with ThreadPoolExecutor(4) as writers:
        names = [f"What is {n}?" for n in range(12)]
        list(writers.map(lambda name: stores.test_questions.keep(DS, replace(QUEUE, question=name)), names))
    assert sorted(kept(stores)) == sorted(names)
