"""Short-lived tokens by which a learner's browser speaks for one learner in one course."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from fastapi import Response
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from services.clock import ForwardClock
from services.store.store_secrets import VISIT_LASTS, VOUCHED, digest_of, visitor_pseudonym
from vta.errors import VtaError
from vta.faults import Fault
from vta.ports import Clock
from vta.types.courses import CourseId

LIFETIME = timedelta(hours=1)
SKEW = timedelta(seconds=60)
"""The greatest difference between the clocks of two of our processes."""
_ALGORITHM = "HS256"


class TokenRefused(VtaError):
    """The token is invalid; the message has the reason and nothing of the token."""

    code = "unauthorized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """The learner whom a token identifies, and the e-mail address that the platform gave.

    `is_named` is false for someone whom the platform did not name, and who is someone else by the next token.
    """

    learner_id: str
    email: str | None = None
    is_named: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorToken:
    """A token as the platform hands it to the learner's browser."""

    text: str
    learner_id: str
    expires_at: datetime


class VisitorTokens:
    """Issues and reads JSON Web Tokens under one secret of 256 bits: aud = course, sub = pseudonym.

    A token once expired stays so though the machine's clock is set back.
    """

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._secret = secret
        self._key = OctKey.import_key(secret)
        self._key_id = sha256(secret).hexdigest()[:12]
        self._clock = ForwardClock(clock)

    def pseudonym(self, course_id: CourseId, learner_id: str, *, prefix: str = VOUCHED) -> str:
        """A pseudonym that is stable in a course and does not link courses."""
        return visitor_pseudonym(self._secret, course_id, learner_id, prefix=prefix)

    def issue(self, course_id: CourseId, learner_id: str | None, *, email: str | None = None) -> VisitorToken:
        """A token for a learner by the platform's own id, or for someone it does not name."""
        subject = self.pseudonym(course_id, learner_id) if learner_id else VOUCHED + secrets.token_hex(16)
        now = self._clock.now().replace(microsecond=0)
        expires = now + LIFETIME
        claims = {
            "aud": course_id,
            "sub": subject,
            "iat": int(now.timestamp()),
            "exp": int(expires.timestamp()),
            **({"email": email} if email else {}),
            **({} if learner_id else {"nameless": True}),
        }
        text = jwt.encode({"alg": _ALGORITHM, "kid": self._key_id}, claims, self._key)
        return VisitorToken(text=text, learner_id=subject, expires_at=expires)

    def read(self, text: str, course_id: CourseId) -> Visitor:
        """The learner for whom the token speaks in this course; `TokenRefused` for every other token."""
        try:
            token = jwt.decode(text.encode("ascii"), self._key, algorithms=[_ALGORITHM])
        except (JoseError, TypeError, ValueError) as error:
            raise TokenRefused(Fault("account.token_signature")) from error
        if token.header.get("kid") != self._key_id:
            raise TokenRefused(Fault("account.token_signature"))
        claims = token.claims
        subject, email = claims.get("sub"), claims.get("email")
        if claims.get("aud") != course_id:
            raise TokenRefused(Fault("account.token_other_course"))
        if not isinstance(subject, str):
            raise TokenRefused(Fault("account.token_nobody"))
        try:
            issued, expires = _moment(claims.get("iat")), _moment(claims.get("exp"))
        except (TypeError, ValueError, OverflowError, OSError) as error:
            raise TokenRefused(Fault("account.token_time")) from error
        now = self._clock.now()
        if issued > now + SKEW or expires - issued > LIFETIME:
            raise TokenRefused(Fault("account.token_time"))
        if expires + SKEW < now:
            raise TokenRefused(Fault("account.token_expired"))
        address = email if isinstance(email, str) else None
        return Visitor(learner_id=subject, email=address, is_named="nameless" not in claims)


def _moment(seconds: object) -> datetime:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError("not a number of seconds")
    return datetime.fromtimestamp(seconds, UTC)


def cookie_name(course: str) -> str:
    """The cookie of a course; its id may hold letters that no cookie's name can."""
    return f"vta_learner_{digest_of(course)[:16]}"


def set_cookie(response: Response, course: str, token: str) -> None:
    """Give a learner's token to the browser."""
    set_framed_cookie(
        response, cookie_name(course), token, lasts_s=int(VISIT_LASTS.total_seconds()), path="/"
    )


def set_framed_cookie(response: Response, name: str, value: str, *, lasts_s: int, path: str) -> None:
    """Set a cookie for a page in another site's frame, separate for each such site (CHIPS)."""
    attributes = f"Max-Age={lasts_s}; Path={path}; HttpOnly; Secure; SameSite=None; Partitioned"
    response.headers.append("Set-Cookie", f"{name}={value}; {attributes}")
