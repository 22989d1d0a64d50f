"""What lets other sites embed a course's sidebar, and whose session is whose, on each database."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.courses.settings_store import CourseSettings
from vta.errors import NotFound
from vta.types.courses import CourseId, SessionId, TurnId

DS, ML = CourseId("ds"), CourseId("ml")


def test_a_course_takes_its_settings_with_it(stores):
    """A course of the same id, made anew, allows nobody."""
    stores.settings.change(DS, lambda found: replace(found, origins=("https://a.example",)))
    course = stores.courses.course(DS)
    stores.courses.remove(DS)
    stores.courses.add(course)
    assert stores.settings.settings(DS) == CourseSettings()


def test_a_signing_key_is_made_once(stores):
    """256 bits, the same ever after, another for each purpose."""
    first = stores.secrets.secret("a")
    assert len(first) == 32
    assert stores.secrets.secret("a") == first
    assert stores.secrets.secret("b") != first


def test_a_session_and_its_turns_name_their_learner(stores, samples):
    """By the pseudonym made when it is asked; None where nobody was named; not found in another course."""
    for turn, session, learner in (("t1", "s1", "visitor:ann"), ("t2", "s2", None)):
        stores.sessions.record(samples.question(learner=learner), samples.answer(turn, session))
        assert stores.sessions.learner(DS, SessionId(session)) == learner
        assert stores.sessions.learner_of_turn(DS, TurnId(turn)) == learner
        with pytest.raises(NotFound):
            stores.sessions.learner(ML, SessionId(session))
        with pytest.raises(NotFound):
            stores.sessions.learner_of_turn(ML, TurnId(turn))
