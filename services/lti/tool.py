"""The tool of one platform: its key, and what it asks learning platforms with."""

from __future__ import annotations

from typing import Annotated

from knowledge.search.http_client import HttpClient
from services.lti.platform_keys import PlatformKeys
from services.lti.platform_store import LtiPlatform
from services.lti.tool_key import ToolKey, person
from services.store.store_secrets import VISITOR_TOKENS, visitor_pseudonym
from services.web.serving import part_of_app
from services.wiring import Platform
from vta.types.courses import CourseId


class Tool:
    """The key of this server, and its client of learning platforms."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.own_key = ToolKey(platform.stores.secrets)
        self.outgoing = HttpClient(private_addresses=platform.settings.lti_private_addresses)
        self.keys = PlatformKeys(self.outgoing)
        self._visitors = platform.stores.secrets.secret(VISITOR_TOKENS)

    def pseudonym(self, course_id: CourseId, known: LtiPlatform, subject: str) -> str:
        """The pseudonym in a course of a learner by the platform's own id."""
        return visitor_pseudonym(self._visitors, course_id, person(known, subject))


ThisTool = Annotated[Tool, part_of_app(lambda parts: parts.lti)]
