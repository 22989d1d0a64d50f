"""The LTI 1.3 tool over real sockets: a platform that signs with real keys, and launches that are none."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import lti_platform as lti
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from served_platform import Served
from sqlalchemy import func, select

from services.store import tables
from services.store.audit_log import Event
from vta.types.courses import CourseId, Role

COURSE = "stacks-en"
OPENED = (tables.learner_visits, tables.lti_tickets, tables.console_sessions, tables.lti_contexts)

pytestmark = pytest.mark.settings(lti_private_addresses=True)


@pytest.fixture
def lms(api: Served) -> Iterator[lti.LtiTestPlatform]:
    """A running platform that is registered with the tool; its context is not connected yet."""
    with lti.LtiTestPlatform() as platform:
        platform.join(api)
        yield platform


@pytest.fixture
def connected(api: Served) -> Iterator[lti.LtiTestPlatform]:
    """One whose context is mapped to a course."""
    with lti.LtiTestPlatform() as platform:
        platform.join(api, COURSE)
        yield platform


class Browser:
    """Cookies by hand: the standard library sends none that are Secure to a server without TLS."""

    def __init__(self, api: Served) -> None:
        self._client = httpx.Client(base_url=api.address, trust_env=False, timeout=30.0)
        self.cookies: dict[str, str] = {}

    def send(self, method: str, url: str, **more: Any) -> httpx.Response:
        headers = {
            "Cookie": "; ".join(f"{n}={v}" for n, v in self.cookies.items()),
            **more.pop("headers", {}),
        }
        reply = self._client.request(method, url, headers=headers, **more)
        for line in reply.headers.get_list("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0]
            self.cookies[name] = value
            if "max-age=0" in line.lower():
                del self.cookies[name]
        self._client.cookies.clear()
        return reply

    def log_in(self, lms: lti.LtiTestPlatform, method: str = "GET", **more: str) -> httpx.Response:
        given = {"iss": lms.address, "login_hint": "hint", "target_link_uri": "x", **more}
        kind = "params" if method == "GET" else "data"
        return self.send(method, "/lti/login", **{kind: given})

    def authenticate(self, lms: lti.LtiTestPlatform, **more: str) -> dict[str, str]:
        """The platform's form after a log-in."""
        onward = self.log_in(lms, **more).headers["location"]
        assert onward.startswith(f"{lms.address}/mod/lti/auth.php?site=1&")
        page = httpx.get(onward, trust_env=False).text
        return {n: unescape(v) for n, v in re.findall(r'name="(\w+)" value="([^"]*)"', page)}

    def launch(self, lms: lti.LtiTestPlatform, **more: str) -> httpx.Response:
        return self.send("POST", "/lti/launch", data=self.authenticate(lms, **more))

    def close(self) -> None:
        self._client.close()


@pytest.fixture
def new_browser(api: Served) -> Iterator[Callable[[], Browser]]:
    """Opens browsers that know nothing of one another."""
    opened: list[Browser] = []

    def open_browser() -> Browser:
        opened.append(Browser(api))
        return opened[-1]

    yield open_browser
    for each in opened:
        each.close()


@pytest.fixture
def browser(new_browser: Callable[[], Browser]) -> Browser:
    return new_browser()


@pytest.fixture
def another_browser(new_browser: Callable[[], Browser]) -> Browser:
    return new_browser()


def rows(api: Served) -> list[int]:
    """How many rows there are of what a launch opens."""
    with api.platform.stores.engine.connect() as connection:
        return [connection.execute(select(func.count()).select_from(t)).scalar_one() for t in OPENED]


def refusal(reply: httpx.Response) -> str:
    """The code on the page that refuses; it lets any platform show it and tells in words what to do."""
    found = re.search(r'data-testid="refused">(\w+)<', reply.text)
    assert found, (reply.status_code, reply.text)
    assert 'role="alert"' in reply.text
    assert 400 <= reply.status_code < 504
    return found[1]


def ticket_of(reply: httpx.Response) -> str:
    found = re.search(r'name="ticket" value="([^"]+)"', reply.text)
    assert found, reply.text
    return found[1]


def ask(browser: Browser, question: str = "What is a stack?", **more: Any) -> httpx.Response:
    body = {"question": question, **more}
    return browser.send("POST", f"/v1/courses/{COURSE}/dialogue", json=body)


def test_a_launched_student_sees_the_course_as_themselves(api, connected, browser):
    """The sidebar's page, a learner id that tells nothing, and turns that are theirs."""
    entered = browser.launch(connected)
    assert (entered.status_code, entered.headers["location"]) == (303, f"/lti/courses/{COURSE}")
    page = browser.send("GET", entered.headers["location"])
    assert "/lti/static/course.js" in page.text
    assert f"frame-ancestors 'self' {connected.address}" in page.headers["content-security-policy"]
    answer = ask(browser).json()
    owner = api.platform.stores.sessions.learner(CourseId(COURSE), answer["session_id"])
    assert re.fullmatch(r"visitor:[0-9a-f]{32}", owner)
    again = browser.send("GET", f"/lti/courses/{COURSE}")
    assert f'"session": "{answer["session_id"]}"' in again.text


PLACE = {
    "unit": "04-stack.md",
    "video": "04-stack.mp4",
    "second": "75",
    "page": "2",
    "heading": "Push & pop",
}
CUSTOM = {
    "all": (PLACE, PLACE),
    "some": ({"unit": "04-stack.md", "page": "two", "second": "-1", "course": "x"}, {"unit": "04-stack.md"}),
    "a variable that was not replaced": ({"unit": "$ResourceLink.title"}, {}),
    "no parameters": ("04-stack.md", {}),
}


@pytest.mark.parametrize(("custom", "expected"), CUSTOM.values(), ids=CUSTOM.keys())
def test_custom_parameters_say_where_the_student_is(connected, browser, custom, expected):
    """The sidebar of the student's page gets them; what cannot be read is left out, and nobody is refused."""
    connected.next_launch.bend = lambda claims: claims.update({f"{lti.CLAIM}custom": custom})
    entered = browser.launch(connected)
    assert entered.status_code == 303
    page = browser.send("GET", entered.headers["location"])
    data = re.search(r'id="launch-data">(.+?)</script>', page.text)
    assert data
    assert json.loads(data[1])["position"] == expected


def test_a_learner_is_the_same_at_each_launch_and_no_name_is_kept(api, connected, new_browser):
    """One id a person and platform, in every browser; neither subject, name nor address is in the store."""
    browsers = [new_browser() for _ in range(3)]
    for subject, browser in zip(("user-1", "user-1", "user-2"), browsers, strict=True):
        connected.next_launch.subject = subject
        browser.launch(connected)
    with api.platform.stores.engine.connect() as connection:
        ids = list(connection.execute(select(tables.learner_visits.c.learner_id)).scalars())
        dump = "\n".join(connection.connection.driver_connection.iterdump())
    assert len(ids) == 3
    assert len(set(ids)) == 2
    for secret in (lti.NAME, lti.EMAIL, "user-1", "user-2", *browsers[0].cookies.values()):
        assert secret not in dump


@pytest.mark.parametrize(("sent", "shown"), [(" Ada  Lovelace ", "Ada Lovelace"), (None, r"LTI [0-9a-f]{8}")])
def test_an_instructor_has_the_name_that_the_platform_sends(api, connected, browser, sent, shown):
    """Without one, a pseudonym."""
    connected.next_launch.role = lti.INSTRUCTOR
    connected.next_launch.bend = lambda claims: claims.update({"name": sent})
    browser.launch(connected)
    with api.platform.stores.engine.connect() as connection:
        (name,) = connection.execute(select(tables.lti_tickets.c.instructor)).scalars()
    assert re.fullmatch(shown, name)


def test_nobody_may_claim_a_launched_learner(api, connected, browser, another_browser):
    """Neither by the pseudonym, which is refused, nor by the name by which the platform may erase them."""
    browser.launch(connected)
    mine = ask(browser).json()["session_id"]
    sessions = api.platform.stores.sessions
    owner = sessions.learner(CourseId(COURSE), mine)
    assert ask(another_browser, learner_id=owner).status_code == 403
    claimed = ask(another_browser, learner_id=f"lti:{connected.context.platform_id}:user-1").json()[
        "session_id"
    ]
    assert sessions.learner(CourseId(COURSE), claimed) != owner


def test_the_platform_erases_a_launched_learner_by_its_own_id(api, connected, browser):
    """Under the name that docs/lti.md gives; what they asked is gone."""
    browser.launch(connected)
    session = ask(browser).json()["session_id"]
    name = f"lti:{connected.context.platform_id}:user-1"
    erased = api.client.delete(f"/v1/courses/{COURSE}/learners/{name}", headers=api.bearer(Role.PLATFORM))
    assert erased.status_code == 204
    assert browser.send("GET", f"/v1/courses/{COURSE}/sessions/{session}").status_code == 404


def test_a_launched_learner_needs_no_open_sidebar(serve):
    """Where everyone else is asked for a token, the launch is enough."""
    api = serve(lti_private_addresses=True, open_sidebar=False)
    with lti.LtiTestPlatform() as platform:
        platform.join(api, COURSE)
        browser = Browser(api)
        assert ask(browser).status_code == 401
        browser.launch(platform)
        assert ask(browser).status_code == 200
        browser.close()


def test_a_learners_token_serves_its_own_course_and_from_our_pages_alone(api, connected, browser):
    """As a bearer it opens one course; a write with the cookie from another site is refused (T24)."""
    browser.launch(connected)
    (token,) = (v for n, v in browser.cookies.items() if n.startswith("vta_learner_"))
    bearer = {"Authorization": f"Bearer {token}"}
    body = {"question": "What is a stack?"}
    assert api.client.post(f"/v1/courses/{COURSE}/dialogue", json=body, headers=bearer).status_code == 200
    other = api.client.post("/v1/courses/stacks-zh/dialogue", json=body, headers=bearer)
    assert other.status_code == 401
    foreign = browser.send(
        "POST", f"/v1/courses/{COURSE}/dialogue", json=body, headers={"Origin": "https://evil.example"}
    )
    assert foreign.status_code == 403


def test_cookies_are_kept_apart_for_each_platform(connected, browser):
    """For frames on other sites, out of reach of scripts, partitioned; the log-in's one ends with it."""
    login = browser.log_in(connected).headers["set-cookie"]
    for attribute in ("HttpOnly", "Secure", "SameSite=None", "Partitioned", "Path=/lti/launch"):
        assert attribute in login
    entered = browser.launch(connected)
    learner, ended = entered.headers.get_list("set-cookie")
    for attribute in ("HttpOnly", "Secure", "SameSite=None", "Partitioned"):
        assert attribute in learner
    assert "Max-Age=0" in ended


def test_an_instructor_opens_the_console_once(api, connected, browser):
    """By a ticket that serves once, in a window of its own, with the console's own cookie and CSRF rules."""
    connected.next_launch.role = lti.INSTRUCTOR
    page = browser.launch(connected)
    assert page.status_code == 200
    ticket = ticket_of(page)
    foreign = browser.send(
        "POST", "/lti/console", data={"ticket": ticket}, headers={"Origin": "https://e.example"}
    )
    assert foreign.status_code == 403
    opened = browser.send("POST", "/lti/console", data={"ticket": ticket})
    assert (opened.status_code, opened.headers["location"]) == (303, f"/console/{COURSE}/inbox")
    assert "samesite=strict" in opened.headers["set-cookie"].lower()
    assert browser.send("GET", f"/console/{COURSE}/faq").status_code == 200
    assert browser.send("GET", "/console/stacks-zh/faq").status_code == 303
    form = {"question": "q", "answer": "a", "csrf": "x"}
    assert browser.send("POST", f"/console/{COURSE}/faq/new", data=form).status_code == 403
    assert refusal(browser.send("POST", "/lti/console", data={"ticket": ticket})) == "expired"
    assert browser.send("GET", f"/lti/courses/{COURSE}").status_code == 200
    api.platform.stores.lti_platforms.remove(connected.context.platform_id)
    assert browser.send("GET", f"/console/{COURSE}/faq").status_code == 303
    assert refusal(browser.send("GET", f"/lti/courses/{COURSE}")) == "expired"


ROLES = {
    "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant": True,
    "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor": False,
    "http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator": False,
    "http://purl.imsglobal.org/vocab/lis/v2/membership#Mentor": False,
}


def test_only_instructors_of_the_course_are_instructors(connected, browser):
    """A role elsewhere in the institution opens no console."""
    opens = {}
    for connected.next_launch.role in ROLES:
        opens[connected.next_launch.role] = "open-console" in browser.launch(connected).text
    assert opens == ROLES


def test_an_instructor_connects_a_course_by_its_key(api, lms, browser):
    """The key proves the right to it; a student is told to wait, a wrong key opens nothing."""
    assert refusal(browser.launch(lms)) == "not_connected"
    lms.next_launch.role = lti.INSTRUCTOR
    page = browser.launch(lms)
    assert "Course &lt;b&gt;one&lt;/b&gt;" in page.text
    keys = api.platform.stores.keys
    wrong, _ = keys.make(CourseId(COURSE), Role.PLATFORM)
    form = {"ticket": ticket_of(page), "key": wrong}
    assert refusal(browser.send("POST", "/lti/connect", data=form)) == "wrong_key"
    form["key"], key = keys.make(CourseId(COURSE), Role.INSTRUCTOR)
    connected = browser.send("POST", "/lti/connect", data=form)
    assert 'data-testid="open-console"' in connected.text
    assert api.platform.stores.lti_platforms.mapped(lms.context) == COURSE
    (logged,) = api.platform.stores.audit_log.entries(course_id=CourseId(COURSE), limit=1)
    assert (logged.event, logged.actor_id) == (Event.LTI_MAPPED, key.id)
    assert refusal(browser.send("POST", "/lti/connect", data=form)) == "expired"
    lms.next_launch.role = lti.LEARNER
    assert browser.launch(lms).status_code == 303


def test_deep_linking_returns_a_link_that_the_tool_signed(api, connected, browser):
    """With the platform's mark, for its issuer, verifiable by the tool's key set; students may not."""
    connected.next_launch.message = "LtiDeepLinkingRequest"
    assert refusal(browser.launch(connected)) == "not_instructor"
    connected.next_launch.role = lti.INSTRUCTOR
    choice = browser.launch(connected)
    form = {"ticket": ticket_of(choice), "part": f"{COURSE} 04-stack.md", "lang": "en"}
    page = browser.send("POST", "/lti/link", data=form)
    assert f'action="{connected.address}/mod/lti/contentitem_return.php?course=' in page.text
    assert f"form-action 'self' {connected.address};" in page.headers["content-security-policy"]
    token = re.search(r'name="JWT" value="([^"]+)"', page.text)[1]
    published = api.client.get("/lti/jwks").json()
    assert set(published["keys"][0]) == {"kty", "n", "e", "kid", "alg", "use"}
    claims = jwt.decode(token, KeySet.import_key_set(published), algorithms=["RS256"]).claims
    assert (claims["iss"], claims["aud"]) == (lti.CLIENT, connected.address)
    assert claims[f"{lti.DEEP_LINK}data"] == "mark"
    (item,) = claims[f"{lti.DEEP_LINK}content_items"]
    assert item["url"] == f"{api.address}/lti/launch"
    assert refusal(browser.send("POST", "/lti/link", data=form)) == "expired"
    assert api.client.get("/lti/jwks").json() == published


def stranger() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "key-1"})


def without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda claims: claims.pop(name)


def with_claim(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda claims: claims.update({name: value})


def seconds_from_now(name: str, seconds: int) -> Callable[[dict[str, Any]], None]:
    return lambda claims: claims.update({name: int(time.time()) + seconds})


LTI = "https://purl.imsglobal.org/spec/lti/claim/"
BENT = {
    "another nonce": (with_claim("nonce", "n"), "wrong_nonce"),
    "no nonce": (without("nonce"), "wrong_claims"),
    "for another tool": (with_claim("aud", "client-2"), "wrong_audience"),
    "for another tool too": (with_claim("aud", ["client-1", "client-2"]), "wrong_audience"),
    "authorized for another": (with_claim("azp", "client-2"), "wrong_audience"),
    "no audience": (without("aud"), "wrong_claims"),
    "another issuer": (with_claim("iss", "https://other.example"), "wrong_issuer"),
    "expired": (seconds_from_now("exp", -600), "wrong_time"),
    "no end": (without("exp"), "wrong_claims"),
    "an end that is no time": (with_claim("exp", "soon"), "wrong_time"),
    "from the future": (seconds_from_now("iat", 600), "wrong_time"),
    "no beginning": (without("iat"), "wrong_claims"),
    "another deployment": (with_claim(f"{LTI}deployment_id", "deployment-2"), "wrong_deployment"),
    "no deployment": (without(f"{LTI}deployment_id"), "wrong_claims"),
    "no subject": (without("sub"), "wrong_claims"),
    "no context": (without(f"{LTI}context"), "wrong_claims"),
    "no resource link": (without(f"{LTI}resource_link"), "wrong_claims"),
    "no roles": (without(f"{LTI}roles"), "wrong_claims"),
    "no version": (without(f"{LTI}version"), "wrong_claims"),
    "an old version": (with_claim(f"{LTI}version", "1.1"), "wrong_claims"),
    "another message": (with_claim(f"{LTI}message_type", "LtiSubmissionReviewRequest"), "wrong_claims"),
    "deep linking without its settings": (
        with_claim(f"{LTI}message_type", "LtiDeepLinkingRequest"),
        "wrong_claims",
    ),
}


def test_clocks_may_differ_by_less_than_a_minute(connected, browser):
    """A launch that ended or began half a minute away is in order (T23)."""
    now = int(time.time())
    connected.next_launch.bend = lambda claims: claims.update({"exp": now - 20})
    assert browser.launch(connected).status_code == 303
    connected.next_launch.bend = lambda claims: claims.update({"iat": now + 40})
    assert browser.launch(connected).status_code == 303


FORGED = {
    "another key under the platform's key id": (
        lambda lms, claims: lms.signed(claims, key=stranger()),
        "bad_signature",
    ),
    "an unknown key id": (lambda lms, claims: lms.signed(claims, kid="key-9"), "unknown_key"),
    "the id of a key that is no RSA key": (
        lambda lms, claims: lms.signed(claims, kid="oct-1"),
        "unknown_key",
    ),
    "alg none": (lambda lms, claims: lms.unsigned(claims), "bad_signature"),
    "HS256 with the public key as secret": (
        lambda lms, claims: lms.signed_with_public_key(claims),
        "bad_signature",
    ),
    "the signature of something else": (
        lambda lms, claims: ".".join(
            [*lms.signed({**claims, "sub": "x"}).split(".")[:2], lms.signed(claims).split(".")[2]]
        ),
        "bad_signature",
    ),
    "no token at all": (lambda lms, claims: "x.y.z", "bad_signature"),
    "letters that are not ASCII": (lambda lms, claims: "é.é.é", "bad_signature"),
    "a payload that is no object": (
        lambda lms, claims: lms.signed(claims).replace(".", ".W10", 1),
        "bad_signature",
    ),
}


@pytest.mark.fault(case="T23")
@pytest.mark.parametrize(("part", "cases"), [("bend", BENT), ("sign", FORGED)], ids=["claims", "signature"])
def test_a_launch_that_is_bent_or_not_signed_by_the_platform_is_refused(api, connected, browser, part, cases):
    """A page says so, and nothing is opened or kept; the same browser gets in with a right one."""
    before, usual = rows(api), getattr(connected.next_launch, part)
    told = {}
    for fault, (change, _) in cases.items():
        setattr(connected.next_launch, part, change)
        told[fault] = refusal(browser.launch(connected))
    assert told == {fault: expected for fault, (_, expected) in cases.items()}
    assert rows(api) == before
    setattr(connected.next_launch, part, usual)
    assert browser.launch(connected).status_code == 303


def test_a_launch_serves_once(api, connected, browser, another_browser):
    """Sent again it is refused; so is its token under the state of a later log-in."""
    first = browser.authenticate(connected)
    kept = dict(browser.cookies)
    assert browser.send("POST", "/lti/launch", data=first).status_code == 303
    before = rows(api)
    browser.cookies = kept
    assert refusal(browser.send("POST", "/lti/launch", data=first)) == "unknown_state"
    later = another_browser.authenticate(connected)
    replayed = {**later, "id_token": first["id_token"]}
    assert refusal(another_browser.send("POST", "/lti/launch", data=replayed)) == "wrong_nonce"
    assert rows(api) == before


def test_a_launch_belongs_to_the_browser_that_logged_in(api, connected, browser, another_browser):
    """Another browser has not its cookie; a secret in the form counts only from a page of ours."""
    form = browser.authenticate(connected)
    assert refusal(another_browser.send("POST", "/lti/launch", data=form)) == "other_browser"
    secret = next(v for n, v in browser.cookies.items() if n.startswith("vta_lti_"))
    told = {**form, "browser": secret}
    assert refusal(another_browser.send("POST", "/lti/launch", data=told)) == "other_browser"
    foreign = another_browser.send("POST", "/lti/launch", data=told, headers={"Origin": connected.address})
    assert foreign.status_code == 403
    assert rows(api)[:3] == [0, 0, 0]


def test_a_browser_without_cookies_is_asked_for_its_secret(api, connected, browser, another_browser):
    """By a page at the log-in and one at the launch; the one that bears the secret is let in, once."""
    html = {"Accept": "text/html"}
    page = browser.send(
        "GET", "/lti/login", params={"iss": connected.address, "login_hint": "1"}, headers=html
    )
    told = dict(re.findall(r'data-(\w+)="([^"]*)"', page.text))
    assert browser.send("GET", f"/lti/launch/cookie?name={told['cookie']}").status_code == 204
    assert another_browser.send("GET", f"/lti/launch/cookie?name={told['cookie']}").status_code == 404
    sent = httpx.get(unescape(told["next"]), trust_env=False).text
    form = {n: unescape(v) for n, v in re.findall(r'name="(\w+)" value="([^"]*)"', sent)}
    asked = another_browser.send("POST", "/lti/launch", data=form, headers=html)
    assert f'data-key="{told["key"]}"' in asked.text
    ours = {"Origin": api.address}
    wrong = another_browser.send("POST", "/lti/launch", data={**form, "browser": "none"}, headers=ours)
    assert refusal(wrong) == "other_browser"
    form["browser"] = told["value"]
    let_in = another_browser.send("POST", "/lti/launch", data=form, headers=ours)
    assert "/lti/static/course.js" in let_in.text
    again = another_browser.send("POST", "/lti/launch", data=form, headers=ours)
    assert refusal(again) == "unknown_state"


def test_a_launch_that_lacks_its_state_or_token_is_refused(connected, browser):
    """So is a state that we never gave; what the platform itself refused is told as such."""
    for change, told in (
        ({"state": None}, "incomplete"),
        ({"id_token": None}, "incomplete"),
        ({"state": "x"}, "unknown_state"),
        ({"error": "login_required", "id_token": None}, "platform_said_no"),
    ):
        form = browser.authenticate(connected) | change
        sent = {name: value for name, value in form.items() if value is not None}
        assert refusal(browser.send("POST", "/lti/launch", data=sent)) == told


def test_a_log_in_is_of_a_registered_platform_and_deployment(connected, browser):
    """By link or by form; what is missing or unknown is told in the reader's language."""
    assert browser.log_in(connected, "POST", client_id="client-1").status_code == 302
    assert refusal(browser.log_in(connected, iss="https://other.example")) == "unknown_platform"
    assert refusal(browser.log_in(connected, client_id="client-2")) == "unknown_platform"
    assert refusal(browser.log_in(connected, lti_deployment_id="d")) == "wrong_deployment"
    assert refusal(browser.log_in(connected, login_hint="")) == "incomplete"
    chinese = browser.send("GET", "/lti/login", headers={"Accept-Language": "zh-CN"})
    assert "无法打开课程助教" in chinese.text


def test_a_log_in_sends_the_browser_back_with_what_it_was_given(connected, browser):
    """The platform's hints, our address, and a state and a nonce that nobody used before."""
    seen = set()
    for _ in range(2):
        sent = browser.log_in(connected, lti_message_hint="m").headers["location"]
        asked = {name: values[0] for name, values in parse_qs(urlsplit(sent).query).items()}
        assert (asked["login_hint"], asked["lti_message_hint"]) == ("hint", "m")
        assert asked["redirect_uri"] == f"{connected.tool_address}/lti/launch"
        seen |= {asked["state"], asked["nonce"]}
    assert len(seen) == 4


def test_the_platforms_keys_are_fetched_once(connected, browser):
    """Many launches ask for them one time; an unknown key id does not make us ask without end."""
    for _ in range(3):
        assert browser.launch(connected).status_code == 303
    connected.next_launch.sign = lambda lms, claims: lms.signed(claims, kid="key-9")
    for _ in range(3):
        assert refusal(browser.launch(connected)) == "unknown_key"
    assert connected.seen.count("certs.php") == 1


def test_keys_at_a_private_address_are_not_fetched(serve):
    """Unless the setting allows it: the launch is refused and the platform is never asked."""
    api = serve()
    with lti.LtiTestPlatform() as platform:
        platform.join(api)
        browser = Browser(api)
        reply = browser.launch(platform)
        assert refusal(reply) == "keys_unreachable"
        assert reply.status_code == 503
        assert "certs.php" not in platform.seen
        browser.close()


def shown(**more: str) -> Callable[[dict[str, Any]], None]:
    """What the platform tells of the page that it shows us on."""
    return lambda claims: claims.update({f"{lti.CLAIM}launch_presentation": more})


def test_a_wrong_key_can_be_tried_again(api, lms, browser):
    """The same form is there again, in the platform's language, and takes the right one."""
    lms.next_launch.role, lms.next_launch.bend = lti.INSTRUCTOR, shown(locale="zh_cn")
    page = browser.launch(lms)
    assert "连接这门课程" in page.text
    wrong = browser.send("POST", "/lti/connect", data={"ticket": ticket_of(page), "key": "no", "lang": "zh"})
    assert (refusal(wrong), "教师密钥无效" in wrong.text) == ("wrong_key", True)
    right = browser.send("POST", "/lti/connect", data={"ticket": ticket_of(wrong), "key": api.key()})
    assert 'data-testid="open-console"' in right.text


def test_deep_linking_connects_a_course_and_goes_on(api, lms, browser):
    """By its key, on the way to the choice of what the link leads to."""
    lms.next_launch.role, lms.next_launch.message = lti.INSTRUCTOR, "LtiDeepLinkingRequest"
    connect = browser.launch(lms)
    choice = browser.send("POST", "/lti/connect", data={"ticket": ticket_of(connect), "key": api.key()})
    assert 'data-testid="part"' in choice.text
    form = {"ticket": ticket_of(choice), "part": f"{COURSE} ", "lang": "en"}
    assert 'name="JWT"' in browser.send("POST", "/lti/link", data=form).text


def test_a_link_leads_only_to_courses_that_the_platform_may_show(api, connected, browser):
    """Its own, or one that is shared with it: that one for students alone, not its console."""
    other, shared = "stacks-zh", api.platform.stores.lti_shared_courses
    connected.next_launch.bend = lambda claims: claims.update({f"{lti.CLAIM}custom": {"vta_course": other}})
    assert browser.launch(connected).headers["location"] == f"/lti/courses/{COURSE}"
    shared.share(connected.context.platform_id, CourseId(other))
    assert browser.launch(connected).headers["location"] == f"/lti/courses/{other}"
    connected.next_launch.role = lti.INSTRUCTOR
    assert "open-console" not in browser.launch(connected).text
    connected.next_launch.message = "LtiDeepLinkingRequest"
    choice = browser.launch(connected)
    assert f'value="{other} "' in choice.text
    shared.unshare(connected.context.platform_id, CourseId(other))
    form = {"ticket": ticket_of(choice), "part": f"{other} "}
    assert refusal(browser.send("POST", "/lti/link", data=form)) == "not_connected"
    assert refusal(browser.send("GET", f"/lti/courses/{other}")) == "expired"


def test_the_way_back_leads_to_the_platform_alone(connected, browser):
    """From the student's page, the instructor's and a refusal; an address elsewhere is left out."""
    back = f"{connected.address}/return?course=1"
    connected.next_launch.bend = shown(locale="zh", return_url=back)
    page = browser.send("GET", browser.launch(connected).headers["location"])
    assert ('<html lang="zh">' in page.text, f'href="{back}"' in page.text) == (True, True)
    connected.next_launch.message = "LtiDeepLinkingRequest"
    assert f'href="{back}"' in browser.launch(connected).text
    connected.next_launch.message = "LtiResourceLinkRequest"
    connected.next_launch.bend = shown(return_url="https://evil.example/")
    assert "evil" not in browser.launch(connected).headers["location"]
    assert "evil" not in browser.send("GET", f"/lti/courses/{COURSE}?back=https://evil.example/").text
