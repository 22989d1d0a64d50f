"""Visitors' tokens: what opens a course, and everything that does not (T23)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import jwt
import pytest
from clocks import SetClock

from services.people.tokens import LIFETIME, TokenRefused, Visitor, VisitorTokens
from vta.types.courses import CourseId

SECRET = b"s" * 64
COURSE = CourseId("ds")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock():
    return SetClock(START)


@pytest.fixture
def tokens(clock):
    return VisitorTokens(SECRET, clock)


def forge(*, secret=SECRET, algorithm="HS256", kid=None, **changes):
    """A token like ours but for what is changed; None leaves a claim out."""
    claims = {"aud": COURSE, "sub": "visitor:x", "iat": START, "exp": START + LIFETIME, **changes}
    claims = {name: value for name, value in claims.items() if value is not None}
    headers = {"kid": kid or sha256(SECRET).hexdigest()[:12]}
    return jwt.encode(claims, secret, algorithm=algorithm, headers=headers)


def test_a_token_speaks_for_one_learner_in_one_course(tokens):
    """It lasts an hour, and its learner is a pseudonym."""
    token = tokens.issue(COURSE, "ann@example.org")
    assert tokens.read(token.text, COURSE).learner_id == token.learner_id
    assert token.expires_at == START + timedelta(hours=1)
    claims = jwt.decode(token.text, options={"verify_signature": False})
    assert claims.keys() == {"aud", "sub", "iat", "exp"}
    assert "ann" not in str(claims)


def test_a_learner_has_one_pseudonym_a_course(tokens, clock):
    """The same later and in another process, another in another course or platform; none is guessed apart."""
    first = tokens.issue(COURSE, "ann").learner_id
    clock.moment += timedelta(days=1)
    assert VisitorTokens(SECRET, clock).issue(COURSE, "ann").learner_id == first
    others = [
        tokens.issue(CourseId("ml"), "ann"),
        tokens.issue(COURSE, "bob"),
        tokens.issue(CourseId("d"), "s:ann"),
        tokens.issue(COURSE, None),
        tokens.issue(COURSE, None),
        VisitorTokens(b"t" * 64, clock).issue(COURSE, "ann"),
    ]
    assert len({first, *(other.learner_id for other in others)}) == 7


def test_a_token_like_ours_opens_the_course(tokens):
    """So that the refusals below are for what they change."""
    assert tokens.read(forge(), COURSE) == Visitor(learner_id="visitor:x")


@pytest.mark.fault(case="T23")
@pytest.mark.parametrize(
    "text",
    [
        forge(secret=b"t" * 64),
        forge(secret="", algorithm="none"),
        forge(algorithm="HS512"),
        forge(kid="another"),
        forge(aud="ml"),
        forge(aud=["ds"]),
        forge(aud=None),
        forge(sub=None),
        forge(sub=7),
        forge(iat=None),
        forge(exp=None),
        forge(exp="soon"),
        forge(exp=True),
        forge(exp=10**20),
        forge(exp=START + timedelta(hours=1, seconds=1)),
        forge(iat=START + timedelta(minutes=10), exp=START + timedelta(minutes=20)),
        forge()[:-4] + "AAAA",
        jwt.encode({"aud": COURSE}, SECRET),
        "a.b.c",
        "栈",
        "",
    ],
)
def test_every_other_token_is_refused(tokens, text):
    """Wrong key, algorithm, key id, course or claims, or no token at all; the refusal holds nothing of it."""
    with pytest.raises(TokenRefused) as refused:
        tokens.read(text, COURSE)
    assert not text or text not in refused.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (forge(secret=b"t" * 64), "not signed here"),
        (forge()[:-4] + "AAAA", "not signed here"),
        (forge(kid="another"), "not signed here"),
        ("a.b.c", "not signed here"),
        ("栈", "not signed here"),
        (forge(aud="ml"), "does not open that course"),
        (forge(aud=None), "does not open that course"),
        (forge(sub=None), "names no learner"),
        (forge(sub=7), "names no learner"),
        (forge(iat=None), "from when to when"),
        (forge(exp=10**20), "from when to when"),
        (forge(exp=START + timedelta(hours=1, seconds=1)), "for too long"),
    ],
)
def test_a_refusal_says_what_is_wrong(tokens, text, said):
    """A bad signature is no other course, and a token without its times is neither."""
    with pytest.raises(TokenRefused, match=said):
        tokens.read(text, COURSE)


@pytest.mark.fault(case="T23")
@pytest.mark.parametrize(("seconds", "opens"), [(-600, False), (-60, True), (60, True), (600, False)])
def test_clocks_may_be_a_minute_apart_and_no_more(clock, seconds, opens):
    """Of who signs and who reads, at either end of the hour."""
    end = START if seconds < 0 else START + LIFETIME
    clock.moment = end + timedelta(seconds=seconds)
    tokens = VisitorTokens(SECRET, clock)
    if opens:
        assert tokens.read(forge(), COURSE)
    else:
        with pytest.raises(TokenRefused):
            tokens.read(forge(), COURSE)


@pytest.mark.fault(case="T23")
def test_no_expired_token_comes_back(tokens, clock):
    """Though the machine's clock is set back by an hour."""
    clock.moment = START + timedelta(hours=1, minutes=2)
    with pytest.raises(TokenRefused, match="expired"):
        tokens.read(forge(), COURSE)
    clock.moment = START + timedelta(minutes=2)
    with pytest.raises(TokenRefused, match="expired"):
        tokens.read(forge(), COURSE)
