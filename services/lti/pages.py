"""The LTI pages as HTML, each with the policy that lets its platform, and nobody else, show it in a frame."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import HTMLResponse

from services.lti.refusals import LaunchRefused
from services.rendering.templates import template_environment
from services.web.serving import browser_language
from vta.languages import Language
from vta.texts import read_texts

ANYONE = ("*",)
"""Frames of a page on which nothing can be pressed that changes anything."""
PAGE_TEXTS = read_texts("services.lti", "texts.toml")


def page(
    request: Request,
    template: str,
    *,
    frames: tuple[str, ...],
    sends_to: str = "",
    status: int = 200,
    language: Language | None = None,
    **values: object,
) -> HTMLResponse:
    """The page of a template; `frames` are the origins that may show it, `sends_to` where its form may go."""
    spoken = language or browser_language(request)
    found = template_environment("services.lti").get_template(template)
    html = found.render(language=spoken.value, t=PAGE_TEXTS[spoken], **values)
    around = " ".join(("'self'", *frames))
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        f"connect-src 'self'; form-action 'self' {sends_to}; base-uri 'none'; "
        f"frame-ancestors {around}"
    )
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": policy}
    return HTMLResponse(html, status_code=status, headers=headers)


def refusal_page(request: Request, refused: LaunchRefused) -> HTMLResponse:
    """The page of a refusal. Nothing can be changed on it, so any platform may show it."""
    response = page(
        request,
        "refused.html",
        frames=ANYONE,
        status=refused.status,
        language=refused.language,
        back=refused.back,
        code=refused.reason.value,
    )
    if refused.status == 503:
        response.headers["Retry-After"] = "60"
    return response
