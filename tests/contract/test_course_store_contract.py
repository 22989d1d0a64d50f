"""What every `CourseStore` keeps."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest
from kept_thumbs import kept_thumbs

from vta.errors import Conflict, NotFound
from vta.languages import Language
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.documents import CourseDocument
from vta.types.inbox import Feedback


def hashes(databases, course_id):
    """The content hash of each document, by path."""
    return {path: state.sha256 for path, state in databases.documents.states(course_id).items()}


def test_a_course_comes_back_as_it_was_added(databases, samples):
    """Every field of a course is kept."""
    course = samples.course("ml", Language.EN)
    databases.courses.add(course)
    assert databases.courses.course(course.id) == course


def test_courses_are_ordered_by_the_code_points_of_their_ids(databases, samples):
    """Courses come by id, ordered as Python orders texts."""
    ids = ["数据", "a", "B", "a-b", "ab", "_"]
    for course_id in ids:
        databases.courses.add(samples.course(course_id))
    assert [course.id for course in databases.courses.courses()] == sorted(ids)


def test_an_id_is_given_once(databases, samples):
    """A second course of the same id is a conflict and the first one stays."""
    databases.courses.add(samples.course("ds", Language.ZH))
    with pytest.raises(Conflict, match="'ds'"):
        databases.courses.add(samples.course("ds", Language.EN))
    assert databases.courses.course(CourseId("ds")).language is Language.ZH


def test_an_unknown_course_is_not_found(databases):
    """Reading or removing a course that is not there is `NotFound`."""
    with pytest.raises(NotFound, match="'nope'"):
        databases.courses.course(CourseId("nope"))
    with pytest.raises(NotFound, match="'nope'"):
        databases.courses.remove(CourseId("nope"))


def test_the_revision_of_a_course_rises_with_its_own_changes_and_never_comes_back(databases, samples):
    """Not with those of another course; a course that is made again goes on after all that it had."""
    one, other = samples.course("ds"), samples.course("ml")
    databases.courses.add(one)
    databases.courses.add(other)
    documents, before = databases.documents, databases.documents.course_revision(other.id)
    seen = [documents.course_revision(one.id)]
    for path in ("a", "b"):
        documents.apply(one.id, put=[CourseDocument(path=path, sha256="0")])
        seen.append(documents.course_revision(one.id))
    databases.courses.edit(one.id, name="new", domains=("cs",))
    seen.append(documents.course_revision(one.id))
    databases.courses.remove(one.id)
    assert documents.course_revision(one.id) is None
    databases.courses.add(one)
    seen.append(documents.course_revision(one.id))
    assert sorted(set(seen)) == seen
    assert documents.course_revision(other.id) == before
    assert documents.revisions() == (documents.revision(), {one.id: seen[-1], other.id: before})


def test_the_revisions_of_a_course_are_its_own_and_those_of_its_lenders(databases):
    """Who takes concepts reads those of all that share theirs; each course reads the platform's graph."""
    taker, sharer = make.course("taker", takes_concepts=True), make.course("sharer", shares_concepts=True)
    of_all, alone = make.course("all", is_platform_graph=True), make.course("alone")
    documents, gone = databases.documents, make.course("gone")
    for each in (taker, sharer, of_all, alone):
        databases.courses.add(each)
    revision, every = documents.revisions()
    for course, seen in ((taker, (taker, sharer, of_all)), (alone, (alone, of_all)), (gone, (of_all,))):
        assert documents.revisions(course) == (revision, {each.id: every[each.id] for each in seen})
    databases.courses.remove(of_all.id)
    assert documents.revisions(gone) == (documents.revision(), {})


def test_every_change_of_the_courses_raises_the_revision_by_one(databases, samples):
    """Adding and removing count; reading and failing do not."""
    before = databases.documents.revision()
    databases.courses.add(samples.course("ds"))
    with pytest.raises(Conflict):
        databases.courses.add(samples.course("ds"))
    databases.courses.courses()
    assert databases.documents.revision() == before + 1
    databases.courses.remove(CourseId("ds"))
    assert databases.documents.revision() == before + 2


def test_a_removed_course_takes_all_it_owns_and_nothing_else(databases, samples):
    """Documents, sessions, thumbs and questions go with their course; another course keeps its own."""
    for course_id in ("ds", "ml"):
        course = CourseId(course_id)
        databases.courses.add(samples.course(course_id))
        databases.documents.apply(course, put=[CourseDocument(path="a.md", sha256=course_id)])
        answer = samples.answer(f"t-{course_id}", f"s-{course_id}", course_id)
        databases.sessions.record(samples.question(course_id), answer)
        databases.sessions.feedback(course, Feedback(turn_id=answer.turn_id, rating="up"))
        databases.asked.ask_ta(course, answer.turn_id)
    databases.courses.remove(CourseId("ds"))
    assert [course.id for course in databases.courses.courses()] == ["ml"]
    databases.courses.add(samples.course("ds"))
    assert databases.documents.states(CourseId("ds")) == {}
    assert databases.asked.all_questions(CourseId("ds")) == ()
    assert kept_thumbs(databases, CourseId("ds")) == ()
    with pytest.raises(NotFound):
        databases.sessions.turns(CourseId("ds"), SessionId("s-ds"))
    with pytest.raises(NotFound):
        databases.asked.ask_ta(CourseId("ds"), TurnId("t-ds"))
    assert hashes(databases, CourseId("ml")) == {"a.md": "ml"}
    assert len(databases.sessions.turns(CourseId("ml"), SessionId("s-ml"))) == 1
    assert len(databases.asked.all_questions(CourseId("ml"))) == 1
    assert len(kept_thumbs(databases, CourseId("ml"))) == 1


def test_learned_thresholds_stay_with_their_course(databases, samples):
    """They are read with the course, and leave the index as it is."""
    for course_id in ("ds", "ml"):
        databases.courses.add(samples.course(course_id))
    before = databases.documents.revision()
    databases.settings.change(CourseId("ds"), lambda found: replace(found, alpha=0.5, beta=1.25))
    ds, ml = databases.courses.courses()
    assert (ds.alpha, ds.beta, ml.alpha, ml.beta) == (0.5, 1.25, None, None)
    assert databases.documents.revision() == before
