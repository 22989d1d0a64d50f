"""What every `CourseStore` keeps."""

from __future__ import annotations

import pytest

from vta.errors import Conflict, NotFound
from vta.types import CourseDocument, CourseId, Feedback, Language, SessionId, TurnId


def hashes(stores, course_id):
    """The content hash of each document, by path."""
    return {path: state.sha256 for path, state in stores.documents.states(course_id).items()}


def test_a_course_comes_back_as_it_was_added(stores, samples):
    """Every field of a course is kept."""
    course = samples.course("ml", Language.EN)
    stores.courses.add(course)
    assert stores.courses.course(course.id) == course


def test_courses_are_ordered_by_the_code_points_of_their_ids(stores, samples):
    """Courses come by id, ordered as Python orders texts."""
    for course_id in ("数据", "a", "B", "a-b", "ab", "_"):
        stores.courses.add(samples.course(course_id))
    assert [course.id for course in stores.courses.courses()] == sorted(["数据", "a", "B", "a-b", "ab", "_"])


def test_an_id_is_given_once(stores, samples):
    """A second course of the same id is a conflict and the first one stays."""
    stores.courses.add(samples.course("ds", Language.ZH))
    with pytest.raises(Conflict, match="'ds'"):
        stores.courses.add(samples.course("ds", Language.EN))
    assert stores.courses.course(CourseId("ds")).language is Language.ZH


def test_an_unknown_course_is_not_found(stores):
    """Reading or removing a course that is not there is `NotFound`."""
    with pytest.raises(NotFound, match="'nope'"):
        stores.courses.course(CourseId("nope"))
    with pytest.raises(NotFound, match="'nope'"):
        stores.courses.remove(CourseId("nope"))


def test_every_change_of_the_courses_raises_the_revision_by_one(stores, samples):
    """Adding and removing count; reading and failing do not."""
    before = stores.documents.revision()
    stores.courses.add(samples.course("ds"))
    with pytest.raises(Conflict):
        stores.courses.add(samples.course("ds"))
    stores.courses.courses()
    assert stores.documents.revision() == before + 1
    stores.courses.remove(CourseId("ds"))
    assert stores.documents.revision() == before + 2


def test_a_removed_course_takes_all_it_owns_and_nothing_else(stores, samples):
    """Documents, sessions, thumbs and questions go with their course; another course keeps its own."""
    for course_id in ("ds", "ml"):
        course = CourseId(course_id)
        stores.courses.add(samples.course(course_id))
        stores.documents.apply(course, put=[CourseDocument(path="a.md", sha256=course_id)])
        answer = samples.answer(f"t-{course_id}", f"s-{course_id}", course_id)
        stores.sessions.record(samples.question(course_id), answer)
        stores.sessions.feedback(course, Feedback(turn_id=answer.turn_id, rating="up"))
        stores.sessions.ask_ta(course, answer.turn_id)
    stores.courses.remove(CourseId("ds"))
    assert [course.id for course in stores.courses.courses()] == ["ml"]
    stores.courses.add(samples.course("ds"))
    assert stores.documents.states(CourseId("ds")) == {}
    assert stores.sessions.waiting_questions(CourseId("ds")) == ()
    assert stores.thumbs(CourseId("ds")) == ()
    with pytest.raises(NotFound):
        stores.sessions.turns(CourseId("ds"), SessionId("s-ds"))
    with pytest.raises(NotFound):
        stores.sessions.ask_ta(CourseId("ds"), TurnId("t-ds"))
    assert hashes(stores, CourseId("ml")) == {"a.md": "ml"}
    assert len(stores.sessions.turns(CourseId("ml"), SessionId("s-ml"))) == 1
    assert len(stores.sessions.waiting_questions(CourseId("ml"))) == 1
    assert len(stores.thumbs(CourseId("ml"))) == 1


def test_learned_thresholds_stay_with_their_course(stores, samples):
    """They are kept, replaced and read with the course, and leave the index as it is; unknown: `NotFound`."""
    for course_id in ("ds", "ml"):
        stores.courses.add(samples.course(course_id))
    before = stores.documents.revision()
    stores.courses.calibrate(CourseId("ds"), alpha=0.6, beta=0.9)
    stores.courses.calibrate(CourseId("ds"), alpha=0.5, beta=1.25)
    ds, ml = stores.courses.courses()
    assert (ds.alpha, ds.beta) == (0.5, 1.25)
    assert (ml.alpha, ml.beta) == (None, None)
    assert stores.documents.revision() == before
    with pytest.raises(NotFound, match="'nope'"):
        stores.courses.calibrate(CourseId("nope"), alpha=0.5, beta=0.7)
