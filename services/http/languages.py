"""In which language a page speaks to a browser that has chosen none."""

from __future__ import annotations

from fastapi import Request

from vta.types import Language


def browser_language(request: Request) -> Language:
    """The language of the browser."""
    return Language.ZH if request.headers.get("accept-language", "").startswith("zh") else Language.EN
