"""What someone in the console may do, by how they came."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from services.lti.id_token import _is_assistant
from services.people.session_store import ConsoleSession
from services.people.sessions import Right, rights_of
from services.people.store import CourseRole, Person, PersonId, PlatformRole
from vta.types.courses import CourseId, KeyId

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"


def session(
    *, key: str | None = None, is_assistant: bool = False, person: Person | None = None
) -> ConsoleSession:
    return ConsoleSession(
        course_id=None if person else CourseId("ds"),
        person=person,
        key_id=None if key is None else KeyId(key),
        name="",
        csrf="",
        expires_at=datetime(2026, 1, 1, tzinfo=UTC),
        is_assistant=is_assistant,
    )


def test_a_key_gives_everything_a_launch_less_and_an_assistant_least():
    """Keys and invitations outlive a launch, so nobody who was launched makes one, or closes the course."""
    assert rights_of(session(key="k")) == frozenset(Right)
    assert rights_of(session()) == frozenset(Right) - {Right.KEYS, Right.PEOPLE, Right.ARCHIVE}
    assert rights_of(session(is_assistant=True)) == {Right.QUESTIONS, Right.FAQ}


def test_a_person_may_do_what_their_role_in_the_course_stands_for():
    """Without a role there, nothing."""
    ann = Person(
        id=PersonId("p"),
        email="ann@uni.example",
        name="Ann",
        role=PlatformRole.MEMBER,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert rights_of(session(person=ann), CourseRole.INSTRUCTOR) == frozenset(Right)
    assert rights_of(session(person=ann), CourseRole.TA) == {Right.QUESTIONS, Right.FAQ}
    assert rights_of(session(person=ann)) == frozenset()


@pytest.mark.parametrize(
    ("roles", "assistant"),
    [
        (["/Instructor#TeachingAssistant"], True),
        (["#Instructor", "/Instructor#TeachingAssistantSection"], True),
        (["#Instructor"], False),
        (["#Instructor", "/Instructor#TeachingAssistant", "/Instructor#Lecturer"], False),
        (["#Learner"], False),
    ],
)
def test_an_assistant_is_nothing_more(roles, assistant):
    """Platforms send the general role with the exact one; whoever is also a lecturer is no mere assistant."""
    assert _is_assistant([MEMBERSHIP + role for role in roles]) is assistant
