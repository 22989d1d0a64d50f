"""The audit log, on each database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from services.people.store import CourseRole, PlatformRole
from services.store import tables
from services.store.audit_log import KEPT, Actor, ActorKind, Event, acting
from vta.errors import NotFound
from vta.types.courses import CourseId, Role

DS = CourseId("ds")
ANN = Actor(kind=ActorKind.PERSON, id="p-ann", name="Ann 100%")


def told(stores, **chosen):
    """Event, course, person and detail of the entries, oldest first."""
    found = reversed(stores.audit_log.entries(**chosen))
    return [(each.event, each.course_id, each.person_name, each.detail) for each in found]


def test_a_change_and_its_entry_are_kept_together_or_not_at_all(stores):
    """What is refused leaves none."""
    before = told(stores)
    for refused in (
        lambda: stores.keys.make(CourseId("none"), Role.PLATFORM),
        lambda: stores.people.remove("nobody"),
        lambda: stores.courses.remove(CourseId("none")),
        lambda: stores.memberships.remove(DS, "nobody"),
    ):
        with pytest.raises(NotFound):
            refused()
    assert told(stores) == before


def test_people_are_named_as_they_were_called(stores):
    """Also those who are gone since."""
    bo = stores.people.add(name="Bo", email="bo@uni.example")
    stores.memberships.put(DS, bo.id, CourseRole.TA)
    stores.people.set_role(bo.id, PlatformRole.CREATOR)
    stores.people.set_disabled(bo.id, True)
    stores.memberships.remove(DS, bo.id)
    stores.people.remove(bo.id)
    assert told(stores, person=bo.id) == [
        (Event.PERSON_ADDED, None, "Bo", "member"),
        (Event.MEMBER_PUT, DS, "Bo", "ta"),
        (Event.PERSON_ROLE, None, "Bo", "creator"),
        (Event.PERSON_DISABLED, None, "Bo", ""),
        (Event.MEMBER_REMOVED, DS, "Bo", ""),
        (Event.PERSON_REMOVED, None, "Bo", ""),
    ]


def test_who_acts_is_the_server_unless_somebody_is_named(stores):
    """Inside `acting` it is them, and afterwards the server again."""
    with acting(ANN):
        _, key = stores.keys.make(DS, Role.PLATFORM)
    stores.keys.revoke(DS, key.id)
    revoked, made = stores.audit_log.entries(course_id=DS, limit=2)
    assert (made.event, made.actor_kind, made.actor_id, made.actor_name) == (
        Event.KEY_MADE, ActorKind.PERSON, "p-ann", "Ann 100%",
    )  # fmt: skip
    assert (revoked.event, revoked.actor_kind, revoked.detail) == (
        Event.KEY_REVOKED, ActorKind.SERVER, key.id,
    )  # fmt: skip
    assert [each.event for each in stores.audit_log.entries(person="100%")] == [Event.KEY_MADE]
    assert stores.audit_log.entries(person="1_0") == ()


def test_pages_follow_one_another(stores):
    """Each begins where the one before ended."""
    for _ in range(5):
        stores.audit_log.note(Event.BACKUP_MADE)
    first = stores.audit_log.entries(limit=3)
    second = stores.audit_log.entries(limit=3, before=first[-1].number)
    numbers = [each.number for each in (*first, *second)]
    assert numbers == sorted(numbers, reverse=True)
    assert len(set(numbers)) == 6


def test_a_course_does_not_show_what_was_done_in_an_earlier_one_of_its_id(stores, samples):
    """The whole log does."""
    stores.courses.remove(DS)
    stores.courses.add(samples.course("ds"))
    entries = stores.audit_log.entries(course_id=DS, of_earlier=False)
    assert [each.event for each in entries] == [Event.COURSE_MADE]
    assert {Event.COURSE_REMOVED, Event.COURSE_MADE} <= {event for event, *_ in told(stores, course_id=DS)}


def test_entries_are_erased_after_a_year(stores):
    """And no sooner."""
    for _ in range(2):
        stores.audit_log.note(Event.BACKUP_MADE)
    young, old = (each.number for each in stores.audit_log.entries(limit=2))
    now = datetime(2024, 3, 1, 9, tzinfo=UTC)  # the clock of these tests is in this hour
    with stores.engine.begin() as connection:
        table = tables.audit_log
        connection.execute(update(table).values(at=now - KEPT + timedelta(days=1)))
        connection.execute(update(table).filter_by(number=old).values(at=now - KEPT - timedelta(days=1)))
    assert stores.audit_log.sweep() == 1
    numbers = [each.number for each in stores.audit_log.entries(limit=1000)]
    assert young in numbers
    assert old not in numbers
