"""Whether a platform's keys can be had, and in words why not."""

from __future__ import annotations

from knowledge.search.http_client import Cause, HttpClient, Unreachable
from services.lti.platform_keys import fetch_keys
from services.storage.lti_platforms import LtiPlatform
from vta.errors import UpstreamFailed
from vta.faults import Fault


async def check_platform(known: LtiPlatform, outgoing: HttpClient) -> int:
    """How many keys the platform publishes; `UpstreamFailed` says what stands in the way."""
    url = known.jwks_url
    try:
        found = await fetch_keys(outgoing, url)
    except Unreachable as failure:
        raise UpstreamFailed(_explained(failure, url)) from failure
    if not found:
        raise UpstreamFailed(Fault("lti.keys_none", url=url))
    return len(found)


def _explained(failure: Unreachable, url: str) -> Fault:
    match failure.cause:
        case Cause.PRIVATE_ADDRESS:
            return Fault("lti.keys_private", url=url)
        case Cause.CERTIFICATE:
            return Fault("lti.keys_certificate", url=url)
        case Cause.NO_SERVER | Cause.TOO_SLOW:
            return Fault("lti.keys_no_server", url=url)
        case _:
            return Fault("lti.keys_other", url=url, cause=str(failure))
