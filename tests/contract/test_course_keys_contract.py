"""The keys of courses, on each database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text, update

from services.people.invitations import Maker
from services.people.store import CourseRole
from services.store import tables
from vta.errors import NotFound
from vta.types.courses import CourseId, KeyId, Role

DS = CourseId("ds")


def test_a_key_is_known_by_its_whole_text_only(stores):
    """One changed character, another secret under the same id and any other text are no key."""
    key_text, key = stores.keys.make(DS, Role.INSTRUCTOR)
    other, _ = stores.keys.make(DS, Role.INSTRUCTOR)
    assert stores.keys.check(key_text) == key
    forged = key_text[:17] + other[17:]
    for wrong in (key_text[:-1], key_text + "x", key_text.upper(), forged, "", "vta_", "\ud800"):
        assert stores.keys.check(wrong) is None


def test_the_secret_is_kept_nowhere(stores):
    """Neither the text of a key nor its secret part is in the database."""
    key_text, _ = stores.keys.make(DS, Role.PLATFORM)
    with stores.engine.connect() as connection:
        rows = connection.execute(text("SELECT * FROM course_keys")).all()
    assert key_text[17:] not in repr(rows)


def test_a_revoked_key_is_refused_at_once(stores):
    """It stays in the list as revoked; a key cannot be revoked by way of another course."""
    key_text, key = stores.keys.make(DS, Role.INSTRUCTOR)
    with pytest.raises(NotFound):
        stores.keys.revoke(CourseId("ml"), key.id)
    stores.keys.revoke(DS, key.id)
    assert stores.keys.check(key_text) is None
    assert [kept.revoked for kept in stores.keys.keys(DS)] == [True]


def test_a_replaced_key_works_on_for_its_time_and_no_longer(stores):
    """With it what hangs on it: whoever logged in by it, and what they may hand out."""
    text, old = stores.keys.make(DS, Role.INSTRUCTOR)
    cookie, _ = stores.console.open(old.course_id, "Kim", key_id=old.id)
    maker = Maker(course_id=DS, key_id=old.id)
    link = stores.invitations.make(maker, CourseRole.TA, name="", email="", by="Kim")
    replacing, new = stores.keys.make(DS, Role.INSTRUCTOR, replaces=old.id, lasts=timedelta(minutes=10))
    assert stores.keys.check(text).ends_at == new.created_at + timedelta(minutes=10)
    assert [each.revoked for each in stores.keys.keys(DS)] == [False, False]
    assert stores.console.find(cookie) is not None
    assert stores.invitations.find(link).course_id == DS
    with stores.engine.begin() as connection:
        keys = tables.course_keys
        past = new.created_at - timedelta(minutes=10)
        connection.execute(update(keys).filter_by(id=old.id).values(revoked_at=past))
    assert stores.keys.check(text) is None
    assert [each.revoked for each in stores.keys.keys(DS)] == [True, False]
    assert stores.console.find(cookie) is None
    with pytest.raises(NotFound):
        stores.invitations.find(link)
    assert stores.keys.check(replacing) is not None


def test_only_a_valid_key_of_the_same_course_and_role_is_replaced(stores):
    """Else no key is made; one that was replaced can be revoked before its time."""
    text, old = stores.keys.make(DS, Role.PLATFORM)
    stores.keys.make(DS, Role.PLATFORM, replaces=old.id)
    for course, role, replaced in (
        (DS, Role.PLATFORM, old.id),
        (DS, Role.INSTRUCTOR, old.id),
        (CourseId("ml"), Role.PLATFORM, old.id),
        (DS, Role.PLATFORM, KeyId("none")),
    ):
        with pytest.raises(NotFound):
            stores.keys.make(course, role, replaces=replaced)
    assert len(stores.keys.keys(DS)) == 2
    stores.keys.revoke(DS, old.id)
    assert stores.keys.check(text) is None


def test_a_removed_course_takes_its_keys_along(stores):
    """And a course that is not there gets none."""
    key_text, _ = stores.keys.make(DS, Role.INSTRUCTOR)
    stores.courses.remove(DS)
    assert stores.keys.check(key_text) is None
    with pytest.raises(NotFound):
        stores.keys.make(CourseId("none"), Role.PLATFORM)
