"""A platform's services, asked with the tool's own key: a course's members (NRPS 2.0), scores (AGS 2.0)."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, Field, ValidationError

from knowledge.search.http_client import Cause, HttpClient, Unreachable
from services.lti.id_token import is_instructor
from services.lti.platform_store import LtiPlatform, SqlLtiPlatforms
from services.lti.score_store import ScoreOfLearner, SqlLtiScores
from services.lti.tool_key import ToolKey
from vta.ports import Clock

NAMES_SCOPE = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
SCORE_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_MEMBERS = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
_SCORE = "application/vnd.ims.lis.v1.score+json"
_MOST_PAGES = 20
_LASTS_S = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformMember:
    """A member of a course of the platform; the name may be empty."""

    subject: str
    name: str
    is_instructor: bool


class _Token(BaseModel):
    access_token: str = Field(min_length=1, max_length=10_000)


class _Member(BaseModel):
    user_id: str
    name: str = ""
    roles: list[str] = []
    status: str = "Active"


class _Members(BaseModel):
    members: list[_Member]


class PlatformServices:
    """Asks a platform's services; `Unreachable` for every failure."""

    def __init__(self, outgoing: HttpClient, key: ToolKey) -> None:
        self._outgoing = outgoing
        self._key = key

    async def members(self, known: LtiPlatform, url: str) -> tuple[PlatformMember, ...]:
        """The active members of a course, of at most 20 pages."""
        headers, found = {**await self._bearer(known, NAMES_SCOPE), "accept": _MEMBERS}, []
        for _ in range(_MOST_PAGES):
            reply = await self._outgoing.send("GET", url, headers=headers)
            try:
                told = _Members.model_validate(reply.value).members
            except ValidationError as error:
                raise Unreachable(Cause.NO_JSON, "no members") from error
            found += [
                PlatformMember(
                    subject=each.user_id,
                    name=" ".join(each.name.split())[:80],
                    is_instructor=is_instructor(each.roles),
                )
                for each in told
                if each.status == "Active"
            ]
            url = reply.links.get("next", "")
            if not url:
                break
        return tuple(found)

    async def complete(self, known: LtiPlatform, lineitem: str, subject: str, at: datetime) -> None:
        """Give a learner the whole score of an activity: they took part (AGS 2.0, section 3.4)."""
        body = {
            "userId": subject,
            "scoreGiven": 1,
            "scoreMaximum": 1,
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
            "timestamp": at.astimezone(UTC).isoformat(timespec="milliseconds"),
        }
        headers = {**await self._bearer(known, SCORE_SCOPE), "content-type": _SCORE}
        try:
            await self._outgoing.send("POST", _scores_of(lineitem), headers=headers, body=body)
        except Unreachable as failure:
            if failure.cause is not Cause.NO_JSON:  # it was taken, and what is said of it does not matter
                raise

    async def _bearer(self, known: LtiPlatform, scope: str) -> Mapping[str, str]:
        """A token for one scope, by a JWT of our own (1EdTech Security Framework 1.0, section 4.1.1)."""
        if not known.token_url:
            raise Unreachable(Cause.NO_SERVER, "the platform is registered without a token address")
        claims = {
            "iss": known.client_id,
            "sub": known.client_id,
            "aud": known.token_url,
            "jti": secrets.token_urlsafe(16),
        }
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": _ASSERTION,
            "client_assertion": await asyncio.to_thread(self._key.sign, claims, lasts_s=_LASTS_S),
            "scope": scope,
        }
        reply = await self._outgoing.send("POST", known.token_url, form=form)
        try:
            token = _Token.model_validate(reply.value).access_token
        except ValidationError as error:
            raise Unreachable(Cause.NO_JSON, "no token") from error
        return {"authorization": f"Bearer {token}"}


def _scores_of(lineitem: str) -> str:
    """The address of an activity's scores: below its own, before its query."""
    parts = urlsplit(lineitem)
    return urlunsplit(parts._replace(path=f"{parts.path}/scores"))


_log = logging.getLogger(__name__)


class ScoreSender:
    """Sends the scores that this process has claimed from a store that other processes send from too."""

    def __init__(
        self, *, scores: SqlLtiScores, platforms: SqlLtiPlatforms, services: PlatformServices, clock: Clock
    ) -> None:
        self._scores = scores
        self._platforms = platforms
        self._services = services
        self._clock = clock

    async def send_due(self) -> int:
        """Try every score whose time has come; returns how many the platforms took."""
        due = await asyncio.to_thread(self._scores.claim)
        return sum(await asyncio.gather(*map(self._send, due)))

    async def _send(self, score: ScoreOfLearner) -> bool:
        known = await asyncio.to_thread(self._platforms.platform, score.platform_id)
        try:
            await self._services.complete(known, score.lineitem, score.subject, self._clock.now())
            is_sent = True
        except Unreachable as failure:
            _log.warning("LTI: a score of course %s was not taken: %s", score.course_id, failure)
            is_sent = False
        await asyncio.to_thread(self._scores.settle, score, is_sent=is_sent)
        return is_sent
