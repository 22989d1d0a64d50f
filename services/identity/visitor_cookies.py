"""The cookie of a learner who came by a launch, also where our page is in a frame of the platform's."""

from __future__ import annotations

from fastapi import Response

from services.storage.lti_launches import VISIT_LASTS
from services.storage.store_secrets import digest_of


def cookie_name(course: str) -> str:
    """The cookie of a course; its id may hold letters that no cookie's name can."""
    return f"vta_learner_{digest_of(course)[:16]}"


def set_cookie(response: Response, course: str, token: str) -> None:
    """Give a learner's token to the browser."""
    set_framed_cookie(
        response, cookie_name(course), token, lasts_s=int(VISIT_LASTS.total_seconds()), path="/"
    )


def set_framed_cookie(response: Response, name: str, value: str, *, lasts_s: int, path: str) -> None:
    """A cookie that browsers keep for a page in another site's frame, apart for each such site (CHIPS)."""
    attributes = f"Max-Age={lasts_s}; Path={path}; HttpOnly; Secure; SameSite=None; Partitioned"
    response.headers.append("Set-Cookie", f"{name}={value}; {attributes}")
