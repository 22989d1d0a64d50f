"""The tool of one platform: its key, and what it asks learning platforms with."""

from __future__ import annotations

from typing import Annotated

from knowledge.search.http_client import HttpClient
from services.lti.platform_keys import PlatformKeys
from services.lti.platform_services import PlatformServices
from services.lti.tool_key import ToolKey
from services.people.tokens import VisitorTokens
from services.web.serving import part_of_app
from services.wiring import Platform


class Tool:
    """What launches are checked and answered with."""

    def __init__(self, platform: Platform, tokens: VisitorTokens) -> None:
        self.platform = platform
        self.tokens = tokens
        self.own_key = ToolKey(platform.stores.secrets)
        self.outgoing = HttpClient(private_addresses=platform.settings.lti_private_addresses)
        self.keys = PlatformKeys(self.outgoing)
        self.services = PlatformServices(self.outgoing, self.own_key)


ThisTool = Annotated[Tool, part_of_app("lti")]
"""The tool, as a parameter of a route."""
