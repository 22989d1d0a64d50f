"""Logging in through the school, against a provider on a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from school_provider import CLIENT, SECRET, SchoolProvider
from served_platform import Build, client_of
from small_platform import COURSES

from services.people.invitations import Maker
from services.people.service import digest_of_password
from services.people.sessions import COOKIE
from services.people.store import CourseRole
from services.wiring import Platform
from vta.types.courses import Role

COURSE = COURSES["stacks-en"][0]
INBOX = f"/console/{COURSE.id}/inbox"
ANN = {"sub": "s-1", "name": "Ann Lee", "email": "Ann@Uni.example", "email_verified": True}
PASSWORD = "correct horse battery"


@pytest.fixture
def school() -> Iterator[SchoolProvider]:
    with SchoolProvider(person=dict(ANN)) as provider:
        yield provider


@pytest.fixture
def platform(build: Build, school: SchoolProvider) -> Platform:
    return build(oidc_issuer=school.issuer, oidc_client_id=CLIENT, oidc_client_secret=SECRET)


@pytest.fixture
async def client(platform: Platform) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(platform) as client:
        yield client


async def log_in(client: httpx.AsyncClient, back: str = INBOX) -> httpx.Response:
    """To the school and back, as a browser goes; the last page."""
    away = await client.get("/console/-/school", params={"next": back})
    assert away.status_code == 302
    async with httpx.AsyncClient(trust_env=False) as outside:
        there = await outside.get(away.headers["location"])
    return await client.get(there.headers["location"], headers={"Accept": "text/html"})


def invitation(platform: Platform, email: str = "") -> str:
    _, key = platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)
    kim = Maker(course_id=COURSE.id, key_id=key.id)
    secret = platform.people.invite(kim, CourseRole.TA, name="", email=email, by="Kim")
    return f"/console/-/invitations/{secret}"


@pytest.mark.parametrize("by_userinfo", [False, True])
async def test_whoever_is_invited_comes_in_without_a_password(client, platform, school, by_userinfo):
    """The link opens an account under the school's name; from then on the school's word alone opens it."""
    school.tells_by_userinfo = by_userinfo
    link = invitation(platform)
    assert "/console/-/school" in (await client.get(link)).text
    page = await log_in(client, link)
    assert (page.status_code, f"url={INBOX}" in page.text) == (200, True)
    assert (await client.get(INBOX)).status_code == 200
    (member,) = platform.stores.memberships.members(COURSE.id)
    assert (member.person.name, member.person.email, member.role) == (
        "Ann Lee",
        "ann@uni.example",
        CourseRole.TA,
    )
    school.person |= {"email": "another@uni.example", "email_verified": False}
    client.cookies.clear()
    assert (await log_in(client)).status_code == 200


async def test_an_account_of_the_same_verified_address_is_bound_and_its_password_ends(
    client, platform, school
):
    """Whoever made it before and is logged in is out; another of the school's does not get it later."""
    made = platform.stores.people.add(name="Ann", email="ann@uni.example")
    platform.stores.people.set_password(made.id, digest_of_password(PASSWORD))
    platform.stores.memberships.put(COURSE.id, made.id, CourseRole.INSTRUCTOR)
    old, _ = platform.stores.console.open(None, made.name, person=made)
    school.person["email_verified"] = False
    assert (await log_in(client)).status_code == 403
    school.person["email_verified"] = True
    assert (await log_in(client)).status_code == 200
    assert platform.people.log_in("ann@uni.example", PASSWORD) is None
    assert platform.stores.console.find(old) is None
    school.person["sub"] = "s-2"
    assert (await log_in(client)).status_code == 403


async def test_nobody_comes_in_without_an_invitation_of_theirs(client, platform, school):
    """Not with none, another's, or one that is used: the page says what to do, and nobody is logged in."""
    for back in (INBOX, invitation(platform, "bo@uni.example"), "/console/-/invitations/none"):
        page = await log_in(client, back)
        assert (page.status_code, "Not invited yet" in page.text) == (403, True)
        assert COOKIE not in client.cookies
    assert platform.stores.people.people() == ()
    assert len(platform.stores.invitations.waiting(COURSE.id)) == 1


async def test_the_school_lets_nobody_in_by_an_invitation_of_a_revoked_key(client, platform, school):
    link = invitation(platform)
    for key in platform.stores.keys.keys(COURSE.id):
        platform.stores.keys.revoke(COURSE.id, key.id)
    assert (await log_in(client, link)).status_code == 403
    assert platform.stores.people.people() == ()


BENT: dict[str, Callable[[dict[str, Any]], object]] = {
    "another nonce": lambda claims: claims.update(nonce="x"),
    "for another client": lambda claims: claims.update(aud="other"),
    "for others too": lambda claims: claims.update(aud=[CLIENT, "other"]),
    "of another issuer": lambda claims: claims.update(iss="https://evil.example"),
    "expired": lambda claims: claims.update(exp=claims["iat"] - 3600),
    "no subject": lambda claims: claims.pop("sub"),
}


@pytest.mark.parametrize("bend", BENT.values(), ids=BENT.keys())
async def test_a_word_that_is_not_for_this_log_in_is_refused(client, platform, school, bend):
    platform.stores.people.add(name="Ann", email="ann@uni.example")
    school.bend = bend
    assert (await log_in(client)).status_code == 403
    assert COOKIE not in client.cookies


async def test_a_log_in_serves_the_browser_that_began_it_once(client, platform, school):
    """Neither a second time nor in another browser, which would be logged in as somebody else."""
    platform.stores.people.add(name="Ann", email="ann@uni.example")
    away = await client.get("/console/-/school")
    async with httpx.AsyncClient(trust_env=False) as outside:
        back = (await outside.get(away.headers["location"])).headers["location"]
    cookies = dict(client.cookies)
    client.cookies.clear()
    assert (await client.get(back)).status_code == 403
    client.cookies.update(cookies)
    assert (await client.get(back)).status_code == 200
    assert (await client.get(back)).status_code == 403
    (asked,) = school.asked
    assert parse_qs(urlsplit(back).query)["state"] == [asked["state"]]
    assert asked["scope"] == "openid email profile"


async def test_passwords_are_off_and_keys_still_work(client, platform):
    """The page shows the way to the school; a form with a password is refused, also behind a link."""
    person = platform.stores.people.add(name="Ann", email="ann@uni.example")
    platform.stores.people.set_password(person.id, digest_of_password(PASSWORD))
    assert 'name="password"' not in (await client.get("/console/log-in")).text
    form = {"email": "ann@uni.example", "password": PASSWORD, "name": "Ann"}
    link = f"/console/-/passwords/{platform.stores.invitations.make_password_link(person.id)}"
    for path in ("/console/log-in", invitation(platform), link):
        assert (await client.post(path, data=form)).status_code == 403
    key, _ = platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)
    assert (await client.post("/console/log-in", data={"key": key})).status_code == 303


async def test_a_school_that_cannot_be_reached_is_said(client, platform, school):
    """Soon, and with no address of its inside."""
    school.server.shutdown()
    school.server.server_close()
    reply = await client.get("/console/-/school", headers={"Accept": "text/html"})
    assert reply.status_code == 503
    assert "localhost" not in reply.text
