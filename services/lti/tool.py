"""The tool of one platform: its key, and what it asks learning platforms with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from knowledge.search.http_client import HttpClient
from services.http.serving import part_of_app
from services.identity.visitor_tokens import VisitorTokens
from services.lti.platform_keys import PlatformKeys
from services.lti.platform_services import PlatformServices
from services.lti.tool_key import ToolKey
from services.wiring import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What launches are checked and answered with."""

    platform: Platform
    tokens: VisitorTokens
    own_key: ToolKey
    outgoing: HttpClient
    keys: PlatformKeys
    services: PlatformServices

    @classmethod
    def over(cls, platform: Platform, tokens: VisitorTokens) -> Self:
        """The tool of one platform."""
        own_key = ToolKey(platform.stores.secrets)
        outgoing = HttpClient(private_addresses=platform.settings.lti_private_addresses)
        return cls(
            platform=platform,
            tokens=tokens,
            own_key=own_key,
            outgoing=outgoing,
            keys=PlatformKeys(outgoing),
            services=PlatformServices(outgoing, own_key),
        )


ThisTool = Annotated[Tool, part_of_app("lti")]
"""The tool, as a parameter of a route."""
