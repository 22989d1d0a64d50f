"""Accounts, memberships, invitations and log-ins on their way, on each database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from services.storage import invitations, oidc_logins
from services.storage.memberships import CourseRole
from services.storage.people import Person, PlatformRole
from services.storage.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound
from vta.types import CourseId

DS, ML = CourseId("ds"), CourseId("ml")


@pytest.fixture
def stores(databases: Stores, samples) -> Stores:
    databases.courses.add(samples.course("ds"))
    databases.courses.add(samples.course("ml"))
    return databases


@pytest.fixture
def ann(stores: Stores) -> Person:
    return stores.people.add(name=" Ann  Lee ", email=" Ann@Uni.Example ")


def test_an_account_is_found_by_its_address_however_it_is_spelt(stores, ann):
    """Name and address are kept clean; the same address is taken in any spelling."""
    assert (ann.name, ann.email) == ("Ann Lee", "ann@uni.example")
    assert stores.people.find("ANN@uni.example ") == ann
    with pytest.raises(Conflict):
        stores.people.add(name="Other", email="ANN@UNI.EXAMPLE")


@pytest.mark.parametrize(("name", "email"), [("", "a@b.c"), ("x" * 81, "a@b.c"), ("A", "a b@c"), ("A", "a")])
def test_an_account_needs_a_name_and_an_address(stores, name, email):
    with pytest.raises(InvalidInput):
        stores.people.add(name=name, email=email)


def test_whose_courses_are_whose(stores, ann):
    """Someone has the courses that they were let into; an admin all; archived ones come last."""
    admin = stores.people.add(name="Root", email="root@uni.example", role=PlatformRole.ADMIN)
    stores.memberships.put(ML, ann.id, CourseRole.TA)
    assert [(each.course.id, each.role) for each in stores.memberships.courses_of(ann.id, ann.role)] == [
        (ML, CourseRole.TA)
    ]
    stores.courses.set_archived(DS, True)
    all_of_them = stores.memberships.courses_of(admin.id, admin.role, counted=True)
    assert [(each.course.id, each.course.archived) for each in all_of_them] == [(ML, False), (DS, True)]
    assert {each.role for each in all_of_them} == {CourseRole.INSTRUCTOR}


def test_waiting_questions_are_counted_for_each_course(stores, samples, ann):
    """Only those that wait, and only in their own course."""
    stores.memberships.put(DS, ann.id, CourseRole.TA)
    stores.memberships.put(ML, ann.id, CourseRole.TA)
    stores.sessions.record(samples.question("ds"), samples.answer("t1"))
    stores.sessions.ask_ta(DS, "t1")
    counted = stores.memberships.courses_of(ann.id, ann.role, counted=True)
    assert {each.course.id: each.waiting for each in counted} == {DS: 1, ML: 0}


def test_an_invitation_lets_one_person_in_once(stores):
    """Under the address that it names; the secret is kept nowhere."""
    secret = stores.invitations.make(DS, CourseRole.TA, name="Bo", email="bo@uni.example", by="Ann")
    with stores.engine.connect() as connection:
        assert secret not in repr(connection.execute(text("SELECT * FROM invitations")).all())
    person_id, course = stores.invitations.accept(
        secret, name="Bo", email="evil@x.example", password="digest"
    )
    assert course == DS
    assert stores.people.person(person_id).email == "bo@uni.example"
    assert [(each.person.name, each.role) for each in stores.memberships.members(DS)] == [
        ("Bo", CourseRole.TA)
    ]
    with pytest.raises(NotFound):
        stores.invitations.accept(secret, name="C", email="c@uni.example", password="digest")


def test_an_address_that_is_taken_leaves_the_invitation_as_it_was(stores, ann):
    secret = stores.invitations.make(DS, CourseRole.TA, name="", email="", by="Kim")
    with pytest.raises(Conflict):
        stores.invitations.accept(secret, name="Ann", email="ann@uni.example", password="digest")
    assert stores.invitations.join(secret, ann.id) == DS


def test_a_lesser_invitation_takes_no_rights(stores, ann):
    """An instructor stays one; a teaching assistant becomes one."""
    stores.memberships.put(DS, ann.id, CourseRole.INSTRUCTOR)
    stores.memberships.put(ML, ann.id, CourseRole.TA)
    for course, role in ((DS, CourseRole.TA), (ML, CourseRole.INSTRUCTOR)):
        stores.invitations.join(stores.invitations.make(course, role, name="", email="", by="Kim"), ann.id)
        assert [each.role for each in stores.memberships.members(course)] == [CourseRole.INSTRUCTOR]


def test_a_link_ends_after_a_week_or_when_it_is_withdrawn(stores, monkeypatch):
    secret = stores.invitations.make(DS, CourseRole.TA, name="", email="", by="Kim")
    (waiting,) = stores.invitations.waiting(DS)
    with pytest.raises(NotFound):
        stores.invitations.withdraw(ML, waiting.id)
    stores.invitations.withdraw(DS, waiting.id)
    with pytest.raises(NotFound):
        stores.invitations.find(secret)
    monkeypatch.setattr(invitations, "LASTS", timedelta(seconds=1))
    late = stores.invitations.make(DS, CourseRole.TA, name="", email="", by="Kim")
    with pytest.raises(NotFound):
        stores.invitations.find(late)
    assert stores.invitations.waiting(DS) == ()


def test_a_new_password_link_takes_the_place_of_the_last_and_ends_sessions(stores, ann):
    """Used once, it sets the digest, and whoever was logged in is out."""
    old, new = (stores.invitations.make_password_link(ann.id) for _ in range(2))
    cookie, _ = stores.console.open_person(ann)
    with pytest.raises(NotFound):
        stores.invitations.set_password(old, "digest")
    assert stores.invitations.set_password(new, "digest") == ann.id
    assert stores.people.with_password(ann.email) == (stores.people.person(ann.id), "digest")
    assert stores.console.find(cookie) is None
    with pytest.raises(NotFound):
        stores.invitations.set_password(new, "another")


def test_a_session_of_a_person_ends_with_the_account(stores, ann):
    """Also while it is only switched off; it belongs to no single course and bears the present name."""
    cookie, _ = stores.console.open_person(ann)
    stores.people.rename(ann.id, "Ann Wu")
    found = stores.console.find(cookie)
    assert (found.course_id, found.name, found.person.id) == (None, "Ann Wu", ann.id)
    stores.people.set_disabled(ann.id, True)
    assert stores.console.find(cookie) is None
    stores.people.set_disabled(ann.id, False)
    assert stores.console.find(cookie) is not None
    stores.people.remove(ann.id)
    assert stores.console.find(cookie) is None


def test_a_removed_course_takes_memberships_and_invitations_along(stores, ann):
    """The account stays."""
    stores.memberships.put(DS, ann.id, CourseRole.TA)
    secret = stores.invitations.make(DS, CourseRole.TA, name="", email="", by="Kim")
    stores.courses.remove(DS)
    assert stores.memberships.courses_of(ann.id, ann.role) == ()
    assert stores.people.find(ann.email) == ann
    with pytest.raises(NotFound):
        stores.invitations.find(secret)


def test_a_bound_account_loses_its_password(stores, ann):
    """Whoever made the account before the school vouched for its owner is out."""
    stores.people.set_password(ann.id, "digest")
    stores.people.bind(ann.id, "https://school.example", "s-1")
    assert stores.people.bound_to("https://school.example", "s-1").id == ann.id
    assert stores.people.with_password(ann.email)[1] is None


def test_a_log_in_on_its_way_serves_one_browser_once(stores, monkeypatch):
    """Not another browser's, not twice, not after its minutes."""
    login = stores.oidc_logins.open("/console/ds/inbox")
    assert stores.oidc_logins.use(login.state, "another browser") is None
    assert stores.oidc_logins.use(login.state, login.browser) == login
    assert stores.oidc_logins.use(login.state, login.browser) is None
    monkeypatch.setattr(oidc_logins, "LASTS", timedelta(seconds=1))
    late = stores.oidc_logins.open("")
    assert stores.oidc_logins.use(late.state, late.browser) is None


def test_an_edited_or_archived_course_keeps_the_rest(stores):
    before = stores.courses.course(DS)
    stores.courses.edit(DS, name="New name", domains=("Maths",))
    stores.courses.set_archived(DS, True)
    after = stores.courses.course(DS)
    assert (after.name, after.domains, after.archived) == ("New name", ("Maths",), True)
    assert after.language == before.language
    with pytest.raises(NotFound):
        stores.courses.edit(CourseId("none"), name="x", domains=("y",))
