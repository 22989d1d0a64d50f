"""Whether a request was made by a page of ours, as browsers tell it."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request

from services.http.problems import forbidden
from vta.faults import Fault


def check_origin(request: Request) -> None:
    """403 where the browser says that another site made it send this."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or site not in ("same-origin", "none"):
        raise forbidden(Fault("console.other_site"))
