"""The keys of courses, on each database."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from vta.errors import NotFound
from vta.types.courses import CourseId, Role

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
    assert stores.keys.key(key.id) is None
    assert [kept.revoked for kept in stores.keys.keys(DS)] == [True]


def test_a_removed_course_takes_its_keys_along(stores):
    """And a course that is not there gets none."""
    key_text, _ = stores.keys.make(DS, Role.INSTRUCTOR)
    stores.courses.remove(DS)
    assert stores.keys.check(key_text) is None
    with pytest.raises(NotFound):
        stores.keys.make(CourseId("none"), Role.PLATFORM)
