"""The id_token of a launch: verified, and reduced to the claims in use.

The library verifies the signature and the registered claims; this module sets the expected values (1EdTech
Security Framework 1.1, section 5.1.3; LTI 1.3 core, section 5.3).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError, MissingClaimError
from joserfc.jwk import RSAKey
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.lti.course_view import CourseView, read_view
from services.lti.launch_store import DeepLinking
from services.lti.platform_store import LtiPlatform
from services.lti.refusals import LaunchRefused, RefusalReason
from services.store.store_secrets import digest_of

ALGORITHM = "RS256"
LEEWAY_S = 60
CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINK = "https://purl.imsglobal.org/spec/lti-dl/claim/"
_MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
_INSTRUCTORS = (f"{_MEMBERSHIP}#Instructor", "Instructor")
_SUB_ROLES = f"{_MEMBERSHIP}/Instructor#"
_ASSISTANT = f"{_SUB_ROLES}TeachingAssistant"
_REASONS = {
    "iss": RefusalReason.WRONG_ISSUER,
    "aud": RefusalReason.WRONG_AUDIENCE,
    "azp": RefusalReason.WRONG_AUDIENCE,
    "exp": RefusalReason.WRONG_TIME,
    "iat": RefusalReason.WRONG_TIME,
    "nbf": RefusalReason.WRONG_TIME,
}


class Message(StrEnum):
    RESOURCE = "LtiResourceLinkRequest"
    DEEP_LINKING = "LtiDeepLinkingRequest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The user, course and purpose of a launch. E-mail addresses and students' names are never read."""

    message: Message
    subject: str
    deployment_id: str
    context_id: str
    context_title: str
    is_instructor: bool
    is_assistant: bool
    """True for a teaching assistant without another role of an instructor."""
    deep_linking: DeepLinking | None
    view: CourseView
    """The place that the link leads to, and the look of the page."""
    name: str
    """An instructor's name, at most 80 characters; empty for a student, and where the platform sends none."""
    course: str
    """The course that the link asks for (`vta_course`), whether the platform may or not; often empty."""


class _Context(BaseModel):
    id: str = Field(min_length=1, max_length=255)
    title: str = ""


class _ResourceLink(BaseModel):
    id: str = Field(min_length=1, max_length=255)


class _DeepLinking(BaseModel):
    deep_link_return_url: str = Field(pattern=r"^https?://[^/\s]", max_length=2000)
    accept_types: list[str]
    data: str | None = None


class _Claims(BaseModel):
    """The claims that are read; all but those that name another are of the core specification."""

    model_config = ConfigDict(alias_generator=lambda name: CLAIM + name)

    sub: str = Field(min_length=1, max_length=255, validation_alias="sub")
    message_type: Message
    version: str = Field(pattern=r"^1\.3\.0$")
    deployment_id: str = Field(min_length=1, max_length=255)
    roles: list[str]
    context: _Context
    resource_link: _ResourceLink | None = None
    target_link_uri: str | None = None
    deep_linking_settings: _DeepLinking | None = Field(
        default=None, validation_alias=f"{DEEP_LINK}deep_linking_settings"
    )
    custom: object = None
    launch_presentation: object = None
    name: object = Field(default=None, validation_alias="name")


def key_id_of(token: str) -> str:
    """The id of the key in the header of a token; nothing is verified yet."""
    try:
        header = jws.extract_compact(token.encode(), registry=_registry()).headers()
    except (JoseError, ValueError) as error:
        raise LaunchRefused(RefusalReason.BAD_SIGNATURE, "the id_token cannot be read") from error
    kid = header.get("kid")
    if header.get("alg") != ALGORITHM:
        raise LaunchRefused(RefusalReason.BAD_SIGNATURE, f"the id_token is not signed with {ALGORITHM}")
    if not isinstance(kid, str):
        raise LaunchRefused(RefusalReason.UNKNOWN_KEY, "the id_token names no key")
    return kid


def read_launch(token: str, key: RSAKey, platform: LtiPlatform, nonce_digest: str) -> Launch:
    """The launch of a token that this platform signed for us, now, for this log-in; else `LaunchRefused`.

    Where no deployment is registered yet, any is in order.
    """
    claims = _verified(token, key, platform)
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or digest_of(nonce) != nonce_digest:
        raise LaunchRefused(RefusalReason.WRONG_NONCE)
    try:
        told = _Claims.model_validate(claims)
    except ValidationError as error:
        places = (".".join(map(str, fault["loc"])) for fault in error.errors())
        wrong = ", ".join(place.removeprefix(CLAIM).removeprefix(DEEP_LINK) for place in places)
        raise LaunchRefused(RefusalReason.WRONG_CLAIMS, f"missing or wrong: {wrong}") from None
    if platform.deployments and told.deployment_id not in platform.deployments:
        raise LaunchRefused(RefusalReason.WRONG_DEPLOYMENT, f"deployment {told.deployment_id!r}")
    if told.message_type is Message.RESOURCE and (told.resource_link is None or not told.target_link_uri):
        raise LaunchRefused(RefusalReason.WRONG_CLAIMS, "missing or wrong: resource_link, target_link_uri")
    if told.message_type is Message.DEEP_LINKING and told.deep_linking_settings is None:
        raise LaunchRefused(RefusalReason.WRONG_CLAIMS, "missing or wrong: deep_linking_settings")
    return _launch(told, platform)


def _verified(token: str, key: RSAKey, platform: LtiPlatform) -> dict[str, Any]:
    try:
        claims = jwt.decode(token, key, algorithms=[ALGORITHM], registry=_registry()).claims
    except (JoseError, ValueError) as error:
        raise LaunchRefused(RefusalReason.BAD_SIGNATURE, type(error).__name__) from error
    expected = jwt.JWTClaimsRegistry(
        now=int(time.time()),
        leeway=LEEWAY_S,
        iss={"essential": True, "value": platform.issuer},
        aud={"essential": True, "value": platform.client_id},
        azp={"value": platform.client_id},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True},
    )
    try:
        expected.validate(claims)
    except ExpiredTokenError as error:
        raise LaunchRefused(RefusalReason.WRONG_TIME, "the token has expired") from error
    except MissingClaimError as error:
        raise LaunchRefused(RefusalReason.WRONG_CLAIMS, error.description) from error
    except InvalidClaimError as error:
        raise LaunchRefused(
            _REASONS.get(error.claim, RefusalReason.WRONG_CLAIMS), error.description
        ) from error
    if claims["aud"] not in (platform.client_id, [platform.client_id]):
        raise LaunchRefused(RefusalReason.WRONG_AUDIENCE, "the token is for others too")
    return claims


def _launch(told: _Claims, platform: LtiPlatform) -> Launch:
    settings = told.deep_linking_settings
    custom = told.custom if isinstance(told.custom, dict) else {}
    shown = told.launch_presentation if isinstance(told.launch_presentation, dict) else {}
    asked = {**custom, "lang": shown.get("locale"), "back": shown.get("return_url")}
    teaches = _is_instructor(told.roles)
    return Launch(
        message=told.message_type,
        subject=told.sub,
        deployment_id=told.deployment_id,
        context_id=told.context.id,
        context_title=told.context.title,
        is_instructor=teaches,
        is_assistant=_is_assistant(told.roles),
        deep_linking=None
        if settings is None
        else DeepLinking(return_url=settings.deep_link_return_url, data=settings.data),
        view=read_view(asked, platform),
        name=" ".join(told.name.split())[:80] if teaches and isinstance(told.name, str) else "",
        course=str(custom.get("vta_course") or "").strip(),
    )


def _is_instructor(roles: Sequence[str]) -> bool:
    """True where one of the roles teaches the course itself."""
    return any(role in _INSTRUCTORS or role.startswith(_SUB_ROLES) for role in roles)


def _is_assistant(roles: Sequence[str]) -> bool:
    """True where all exact roles are a teaching assistant's; platforms send the general one with them."""
    exact = [role for role in roles if role.startswith(_SUB_ROLES)]
    return bool(exact) and all(role.startswith(_ASSISTANT) for role in exact)


def _registry() -> jws.JWSRegistry:
    return jws.JWSRegistry(algorithms=[ALGORITHM], strict_check_header=False)
