"""Every route of the application is public by a list, or behind a guard (T19)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import fastapi.routing
import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.responses import Response
from served_platform import Build, Serve

from services.app import create_app
from services.console.visits import PageRouter, Visiting
from services.people.sessions import COOKIE
from vta.types.courses import CourseId, Role

COURSE = "stacks-en"
ADMIN = "an-admin-key-for-tests"
GUARDS = {
    "require_instructor": "an instructor's key",
    "require_admin": "the admin key",
    "principals": "a visitor's token, a platform's key, or an open sidebar",
    "require_log_in": "an instructor's session of the console",
    "require_any_log_in": "any session of the console",
    "require_person": "a person's session of the console",
}
"""The functions whose dependencies let someone in."""
PUBLIC = {
    "GET /",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /openapi.json",
    "GET /docs",
    "GET /embed.js",
    "GET /embed/{course}",
    "GET /courses/{course}",
    "GET /courses/{course}/lectures/{name}",
    "GET /sidebar/{name:path}",
    "GET /console/static/{name}",
    "GET /console/language/{language}",
    "GET /console/log-in",
    "POST /console/log-in",
    "POST /console/log-out",
    "GET /console",
    "GET /console/-/invitations/{secret}",
    "POST /console/-/invitations/{secret}",
    "POST /console/-/invitations/{secret}/join",
    "GET /console/-/passwords/{secret}",
    "POST /console/-/passwords/{secret}",
    "GET /console/-/school",
    "GET /console/-/school/back",
    "GET /v1/courses/{course}/models",
    "GET /v1/models",
    "POST /v1/chat/completions",
    "GET /lti/jwks",
    "GET /lti/login",
    "POST /lti/login",
    "GET /lti/register",
    "GET /lti/launch",
    "POST /lti/launch",
    "GET /lti/launch/cookie",
    "POST /lti/connect",
    "POST /lti/link",
    "POST /lti/console",
    "GET /lti/courses/{course}",
    "GET /lti/static/{name}",
}
"""What anyone may ask for: pages without anyone's data, the log-in, and a course's name.
`GET /v1/models` and `POST /v1/chat/completions`, whose body names the course, look at the key themselves;
those under /lti at the launch, the ticket or the visit's cookie, which `test_lti` bends in every way; the
links of invitations and passwords at their own secret."""


def operations(app: FastAPI) -> Iterator[tuple[str, Dependant | None]]:
    """Every operation by method and path with its dependencies, those of included routers too."""
    for route in getattr(fastapi.routing, "iter_route_contexts", iter)(app.routes):
        if not route.methods:
            raise AssertionError(f"a mount or socket, which this test cannot look into: {route!r}")
        for method in sorted(route.methods - {"HEAD", "OPTIONS"}):
            yield f"{method} {route.path}", getattr(route, "dependant", None)


def guards(dependant: Dependant) -> set[str]:
    """The guards among the dependencies of a route, at any depth."""
    found = {
        getattr(each.call, "__qualname__", "").partition(".<locals>")[0] for each in dependant.dependencies
    }
    return (found & GUARDS.keys()).union(*(guards(each) for each in dependant.dependencies))


def behind(app: FastAPI, guard: str) -> list[str]:
    """The operations that have this guard and no other."""
    return [name for name, dependant in operations(app) if dependant and guards(dependant) == {guard}]


def unguarded(app: FastAPI) -> set[str]:
    """The operations without a guard that are not public either."""
    return {
        name
        for name, dependant in operations(app)
        if name not in PUBLIC and not (dependant and guards(dependant))
    }


@pytest.fixture
def app(build: Build) -> FastAPI:
    return create_app(build({}))


@pytest.mark.fault(case="T19")
def test_every_route_is_public_by_the_list_or_has_a_guard(app: FastAPI) -> None:
    """All routes are walked, and the list of public ones names none that is not there."""
    names = {name for name, _ in operations(app)}
    assert len(names) > 80
    assert unguarded(app) == set()
    assert names >= PUBLIC


@pytest.mark.fault(case="T19")
@pytest.mark.parametrize("prefix", ["/v1/courses/{course}", "/console/{course}", ""])
def test_a_new_route_without_a_guard_is_found(app: FastAPI, prefix: str) -> None:
    """Added straight, or by a router of routers; a POST beside a public GET is found as well."""
    app.add_api_route(f"{prefix}/straight", lambda: "secret")
    inner, outer = APIRouter(), APIRouter(prefix=prefix)
    inner.add_api_route("/deep", lambda: "secret", methods=["PUT"])
    outer.include_router(inner, prefix="/new")
    app.include_router(outer)
    app.add_api_route("/healthz", lambda: "secret", methods=["POST"])
    assert unguarded(app) == {f"GET {prefix}/straight", f"PUT {prefix}/new/deep", "POST /healthz"}


def test_every_page_of_a_course_is_in_a_part_of_the_console(app: FastAPI) -> None:
    """So the rights that the part needs are checked before anything is shown or done (T19)."""
    pages = [(name, found) for name, found in operations(app) if " /console/{course}/" in name]
    assert len(pages) > 60
    for name, dependant in pages:
        calls = [each.call for each in dependant.dependencies] if dependant else []
        assert "Part.admit" in {getattr(call, "__qualname__", "") for call in calls}, name


async def test_a_page_of_no_part_lets_nobody_in(serve: Serve) -> None:
    """Not even an instructor: nobody said which right it needs (T19)."""
    api = serve()
    stray = PageRouter()

    @stray.get("/console/{course}/stray")
    def show(visit: Visiting) -> Response:
        return Response("secret")

    key, _ = api.platform.stores.keys.make(CourseId(COURSE), Role.INSTRUCTOR)
    found = api.platform.stores.keys.check(key)
    assert found
    cookie, _ = api.platform.stores.console.open(found.course_id, "Ann", key_id=found.id)
    app = create_app(api.platform)
    app.include_router(stray)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    cookies = {COOKIE: cookie}
    async with httpx.AsyncClient(transport=transport, base_url="http://test", cookies=cookies) as client:
        reply = await client.get(f"/console/{COURSE}/stray")
    assert (reply.status_code, "secret" in reply.text) == (500, False)


def test_instructors_and_admins_have_their_own_guard(app: FastAPI) -> None:
    """A principal's guard alone never stands before what instructors do: only before dialogue and reading."""
    by_speakers = behind(app, "principals")
    assert {name.partition("{course}")[2] for name in by_speakers} == {
        "/dialogue",
        "/chat/completions",
        "/sessions",
        "/sessions/{session}",
        "/sessions/{session}/ta-answers",
        "/sessions/{session}/ta-answers/seen",
        "/learners/{learner}",
        "/turns/{turn}/feedback",
        "/turns/{turn}/ask-ta",
        "/turns/{turn}/ta-reply",
        "/graph",
        "/concepts/{name:path}",
        "/concepts/{name:path}/neighbourhood.svg",
        "/sidebar",
        "/research/consent",
        "/visitors",
        "/pages/{path:path}",
        "/search",
    }


@pytest.mark.fault(case="T19")
def test_a_student_s_token_opens_nothing_of_instructors(serve: Serve) -> None:
    """On every operation of the document that needs an instructor's key or the admin's it is 403 (T19)."""
    api = serve(admin_key=ADMIN)
    headers = api.learner()
    token = headers["Authorization"][7:]
    asked = {"question": "What is a stack?"}
    good = api.client.post(f"/v1/courses/{COURSE}/dialogue", json=asked, headers=headers)
    assert good.status_code == 200, "the token is a good one"
    paths, statuses = api.client.get("/openapi.json").json()["paths"], []
    for path, described in paths.items():
        for method, operation in described.items():
            if {"HTTPBearer": []} not in operation.get("security", ()):
                continue
            address = re.sub(r"\{\w+\}", "x1", path.replace("{course}", COURSE))
            refused = api.client.request(method.upper(), address, json={}, headers=headers)
            assert refused.status_code == 403, (method, path)
            assert refused.json()["code"] == "forbidden"
            assert token not in refused.text
            statuses.append(refused.status_code)
    assert len(statuses) >= 22


@pytest.mark.fault(case="T19")
def test_a_student_s_token_opens_no_page_of_the_console(serve: Serve) -> None:
    """As a bearer or as the console's cookie: every page and every form leads to the log-in."""
    api = serve()
    bearer = api.learner()
    token = bearer["Authorization"][7:]
    pages = behind(create_app(api.platform), "require_log_in")
    assert len(pages) > 25
    for given in (bearer, {"Cookie": f"vta_console={token}"}):
        for name in pages:
            method, _, path = name.partition(" ")
            address = re.sub(r"\{\w+\}", "x1", path.replace("{course}", COURSE))
            refused = api.client.request(method, address, headers=given)
            assert refused.status_code == 303, name
            assert refused.headers["location"].startswith("/console/log-in")
