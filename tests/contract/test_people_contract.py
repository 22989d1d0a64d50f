"""Accounts, memberships, invitations and log-ins on their way, on each database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from services.people import invitations
from services.people import session_store as console_sessions
from services.people.invitations import Maker
from services.people.store import CourseRole, Person, PlatformRole
from services.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound
from vta.types.courses import CourseId, Role

DS, ML = CourseId("ds"), CourseId("ml")


@pytest.fixture
def kim(stores: Stores) -> Maker:
    """The bearer of an instructor's key."""
    return Maker(course_id=DS, key_id=stores.keys.make(DS, Role.INSTRUCTOR)[1].id)


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
    stores.asked.ask_ta(DS, "t1")
    counted = stores.memberships.courses_of(ann.id, ann.role, counted=True)
    assert {each.course.id: each.waiting for each in counted} == {DS: 1, ML: 0}


def test_an_invitation_lets_one_person_in_once(stores, kim):
    """Under the address that it names; the secret is kept nowhere."""
    secret = stores.invitations.make(kim, CourseRole.TA, name="Bo", email="bo@uni.example", by="Ann")
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


def test_an_address_that_is_taken_leaves_the_invitation_as_it_was(stores, ann, kim):
    secret = stores.invitations.make(kim, CourseRole.TA, name="", email="", by="Kim")
    with pytest.raises(Conflict):
        stores.invitations.accept(secret, name="Ann", email="ann@uni.example", password="digest")
    assert stores.invitations.join(secret, ann.id) == DS


def test_a_lesser_invitation_takes_no_rights(stores, ann):
    """An instructor stays one; a teaching assistant becomes one."""
    stores.memberships.put(DS, ann.id, CourseRole.INSTRUCTOR)
    stores.memberships.put(ML, ann.id, CourseRole.TA)
    for course, role in ((DS, CourseRole.TA), (ML, CourseRole.INSTRUCTOR)):
        kim = Maker(course_id=course, key_id=stores.keys.make(course, Role.INSTRUCTOR)[1].id)
        stores.invitations.join(stores.invitations.make(kim, role, name="", email="", by="Kim"), ann.id)
        assert [each.role for each in stores.memberships.members(course)] == [CourseRole.INSTRUCTOR]


def test_a_link_ends_after_a_week_or_when_it_is_withdrawn(stores, kim, monkeypatch):
    secret = stores.invitations.make(kim, CourseRole.TA, name="", email="", by="Kim")
    (waiting,) = stores.invitations.waiting(DS)
    with pytest.raises(NotFound):
        stores.invitations.withdraw(ML, waiting.id)
    stores.invitations.withdraw(DS, waiting.id)
    with pytest.raises(NotFound):
        stores.invitations.find(secret)
    monkeypatch.setattr(invitations, "LASTS", timedelta(seconds=1))
    late = stores.invitations.make(kim, CourseRole.TA, name="", email="", by="Kim")
    with pytest.raises(NotFound):
        stores.invitations.find(late)
    assert stores.invitations.waiting(DS) == ()


def test_a_new_password_link_takes_the_place_of_the_last_and_ends_sessions(stores, ann):
    """Used once, it sets the digest, and whoever was logged in is out."""
    old, new = (stores.invitations.make_password_link(ann.id) for _ in range(2))
    cookie, _ = stores.console.open(None, ann.name, person=ann)
    with pytest.raises(NotFound):
        stores.invitations.set_password(old, "digest")
    assert stores.invitations.set_password(new, "digest") == ann.id
    assert stores.people.with_password(ann.email) == (stores.people.person(ann.id), "digest")
    assert stores.console.find(cookie) is None
    with pytest.raises(NotFound):
        stores.invitations.set_password(new, "another")


def test_a_session_of_a_person_ends_with_the_account(stores, ann):
    """Also while it is only switched off; it belongs to no single course and bears the present name."""
    cookie, _ = stores.console.open(None, ann.name, person=ann)
    stores.people.rename(ann.id, "Ann Wu")
    found = stores.console.find(cookie)
    assert (found.course_id, found.name, found.person.id) == (None, "Ann Wu", ann.id)
    stores.people.set_disabled(ann.id, True)
    assert stores.console.find(cookie) is None
    stores.people.set_disabled(ann.id, False)
    assert stores.console.find(cookie) is not None
    stores.people.remove(ann.id)
    assert stores.console.find(cookie) is None


def test_a_removed_course_takes_memberships_and_invitations_along(stores, ann, kim):
    """The account stays."""
    stores.memberships.put(DS, ann.id, CourseRole.TA)
    secret = stores.invitations.make(kim, CourseRole.TA, name="", email="", by="Kim")
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
    monkeypatch.setattr(console_sessions, "OIDC_LOGIN_LASTS", timedelta(seconds=1))
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


def leave(stores: Stores, person: Person) -> None:
    stores.memberships.remove(DS, person.id)


def demote(stores: Stores, person: Person) -> None:
    stores.memberships.change(DS, person.id, CourseRole.TA)


def disable(stores: Stores, person: Person) -> None:
    stores.people.set_disabled(person.id, True)


def delete(stores: Stores, person: Person) -> None:
    stores.people.remove(person.id)


def become_admin(stores: Stores, person: Person) -> None:
    stores.people.set_role(person.id, PlatformRole.ADMIN)


def join_another(stores: Stores, person: Person) -> None:
    stores.memberships.put(ML, person.id, CourseRole.TA)


def set_password(stores: Stores, person: Person) -> None:
    stores.people.set_password(person.id, "digest")


def bind(stores: Stores, person: Person) -> None:
    stores.people.bind(person.id, "https://school.example", "s-1")


def archive(stores: Stores, _: Person) -> None:
    stores.courses.set_archived(DS, True)


def remove_course(stores: Stores, _: Person) -> None:
    stores.courses.remove(DS)


OF_MAKER = [leave, demote, disable, delete, archive, remove_course]


@pytest.mark.parametrize(
    ("whose", "change"),
    [("maker", change) for change in (*OF_MAKER, set_password)]
    + [
        ("person", change)
        for change in (leave, disable, delete, become_admin, join_another, set_password, bind)
    ],
)
def test_a_password_link_works_only_while_its_maker_may_make_it(stores, ann, whose, change):
    """Not once either has other rights than those by which it was made, or another password."""
    stores.memberships.put(DS, ann.id, CourseRole.INSTRUCTOR)
    bo = stores.people.add(name="Bo", email="bo@uni.example")
    stores.memberships.put(DS, bo.id, CourseRole.TA)
    link = stores.invitations.make_password_link(bo.id, Maker(course_id=DS, person_id=ann.id))
    assert stores.invitations.person_of(link) == bo.id
    change(stores, ann if whose == "maker" else bo)
    for use in (stores.invitations.person_of, lambda secret: stores.invitations.set_password(secret, "evil")):
        with pytest.raises(NotFound):
            use(link)
    found = stores.people.with_password(bo.email)
    assert found is None or found[1] != "evil"


def test_a_password_link_of_an_admin_ends_with_that_role(stores):
    """An admin reaches everybody; who is no admin any more reaches whom their courses hold."""
    root = stores.people.add(name="Root", email="root@uni.example", role=PlatformRole.ADMIN)
    bo = stores.people.add(name="Bo", email="bo@uni.example", role=PlatformRole.CREATOR)
    for course, person in ((DS, root), (DS, bo), (ML, bo)):
        stores.memberships.put(course, person.id, CourseRole.INSTRUCTOR)
    link = stores.invitations.make_password_link(bo.id, Maker(course_id=DS, person_id=root.id))
    assert stores.invitations.person_of(link) == bo.id
    stores.people.set_role(root.id, PlatformRole.MEMBER)
    with pytest.raises(NotFound):
        stores.invitations.person_of(link)


def test_a_link_of_whoever_runs_the_platform_opens_any_account_in_use(stores, ann):
    """They reach admins too; a disabled account is opened by nobody."""
    become_admin(stores, ann)
    link = stores.invitations.make_password_link(ann.id)
    join_another(stores, ann)
    assert stores.invitations.person_of(link) == ann.id
    disable(stores, ann)
    with pytest.raises(NotFound):
        stores.invitations.person_of(link)


@pytest.mark.parametrize("change", OF_MAKER)
def test_an_invitation_works_only_while_its_maker_may_invite(stores, ann, change):
    """It is listed no more either; what another made works on where the course takes anybody."""
    stores.memberships.put(DS, ann.id, CourseRole.INSTRUCTOR)
    cy = stores.people.add(name="Cy", email="cy@uni.example")
    stores.memberships.put(DS, cy.id, CourseRole.INSTRUCTOR)
    links = [
        stores.invitations.make(
            Maker(course_id=DS, person_id=person.id), CourseRole.TA, name="", email="", by=person.name
        )
        for person in (ann, cy)
    ]
    change(stores, ann)
    bo = stores.people.add(name="Bo", email="bo@uni.example")
    for use in (
        lambda secret: stores.invitations.find(secret),
        lambda secret: stores.invitations.join(secret, bo.id),
        lambda secret: stores.invitations.accept(secret, name="E", email="e@uni.example", password="digest"),
    ):
        with pytest.raises(NotFound):
            use(links[0])
    assert stores.people.find("e@uni.example") is None
    of_course = change in (archive, remove_course)
    assert [each.invited_by for each in stores.invitations.waiting(DS)] == ([] if of_course else ["Cy"])


def test_a_revoked_key_takes_its_links_along(stores, ann, kim):
    stores.memberships.put(DS, ann.id, CourseRole.TA)
    invited = stores.invitations.make(kim, CourseRole.TA, name="", email="", by="Kim")
    reset = stores.invitations.make_password_link(ann.id, kim)
    assert stores.invitations.person_of(reset) == ann.id
    stores.keys.revoke(DS, kim.key_id)
    for find, link in ((stores.invitations.find, invited), (stores.invitations.person_of, reset)):
        with pytest.raises(NotFound):
            find(link)


def test_an_invitation_for_one_address_lets_no_other_account_in(stores, ann, kim):
    """The one that it is for joins by it afterwards."""
    link = stores.invitations.make(kim, CourseRole.TA, name="", email="bo@uni.example", by="Kim")
    with pytest.raises(Conflict):
        stores.invitations.join(link, ann.id)
    assert stores.memberships.members(DS) == ()
    bo = stores.people.add(name="Bo", email="Bo@Uni.Example")
    assert stores.invitations.join(link, bo.id) == DS
