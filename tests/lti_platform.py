"""A learning platform whose launches a test bends: `next_launch` is what it signs when a browser next comes.

Its course page shows the tool in a frame and stores for it, as LTI Client Side postMessages describe.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from local_http import Asked
from moodle_like import CLAIM, CONTEXT, DEEP_LINK, MoodleLike, User

__all__ = ["CLAIM", "DEEP_LINK"]
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
LEARNER = f"{MEMBERSHIP}#Learner"
INSTRUCTOR = f"{MEMBERSHIP}#Instructor"
CLIENT = "client-1"
NAME, EMAIL = "Canary Person", "canary.person@example.org"

_PAGE = """<!doctype html><title>Course</title><h1>Course</h1>
<script>
const kept = new Map();
window.asked = [];
addEventListener("message", (event) => {{
  if (event.origin !== "{tool}") return;
  const {{ subject, key, value, message_id }} = event.data;
  window.asked.push(subject);
  if (subject === "lti.put_data") kept.set(key, value);
  const reply = {{ subject: `${{subject}}.response`, message_id, key, value: kept.get(key) }};
  event.source.postMessage(reply, event.origin);
}});
</script>
<iframe id="tool" src="{src}" width="900" height="700"></iframe>"""


@dataclass
class Launch:
    """A person who comes, and how the platform signs it."""

    subject: str = "user-1"
    role: str = LEARNER
    message: str = "LtiResourceLinkRequest"
    bend: Callable[[dict[str, Any]], None] = lambda claims: None
    sign: Callable[[LtiTestPlatform, dict[str, Any]], str] | None = None


@dataclass
class LtiTestPlatform(MoodleLike):
    """A running platform; use it as a context. `seen` are the pages that it was asked for."""

    next_launch: Launch = field(default_factory=Launch)
    seen: list[str] = field(default_factory=list)
    tool_address: str = ""
    storage_target: str = ""

    @property
    def course_address(self) -> str:
        """The page that shows the tool."""
        return f"{self.address}/mod/lti/course.php"

    def registered(self, tool: str, client_id: str = CLIENT) -> dict[str, Any]:
        """Its log-in address has a query of its own."""
        self.tool_address = tool
        known = super().registered(tool, client_id)
        return known | {"login_url": f"{known['login_url']}?site=1"}

    def answer(self, request: Asked) -> None:
        self.seen.append(urlsplit(request.path).path.rpartition("/")[2])
        super().answer(request)

    def signed(self, claims: dict[str, Any], *, key: RSAKey | None = None, kid: str = "key-1") -> str:
        return jwt.encode({"alg": "RS256", "kid": kid}, claims, key or self.key)

    def unsigned(self, claims: dict[str, Any]) -> str:
        """With `alg=none` and no signature."""
        head = json.dumps({"alg": "none", "kid": "key-1", "typ": "JWT"}).encode()
        body = self.signed(claims).split(".")[1]
        return f"{base64.urlsafe_b64encode(head).rstrip(b'=').decode()}.{body}."

    def signed_with_public_key(self, claims: dict[str, Any]) -> str:
        """HS256, the secret being the public key that everyone can read."""
        secret = OctKey.import_key(json.dumps(self.key.as_dict(private=False)))
        return jwt.encode({"alg": "HS256", "kid": "key-1"}, claims, secret)

    def _claims_of_next(self, nonce: str) -> dict[str, Any]:
        """All claims of `next_launch`, names and addresses of people included."""
        launch = self.next_launch
        link = "-1" if launch.message == "LtiDeepLinkingRequest" else "0"
        claims = self.claims(User(launch.subject, NAME, ""), link, CONTEXT)
        del claims[f"{CLAIM}launch_presentation"]
        claims |= {
            "nonce": nonce,
            "name": NAME,
            "email": EMAIL,
            f"{CLAIM}message_type": launch.message,
            f"{CLAIM}roles": [launch.role],
            f"{CLAIM}context": {"id": CONTEXT, "title": "Course <b>one</b>"},
        }
        launch.bend(claims)
        return claims

    def _auth(self, given: dict[str, str], *_: object) -> tuple[int, str, str]:
        wanted = {"scope": "openid", "response_type": "id_token", "response_mode": "form_post",
                  "prompt": "none", "client_id": CLIENT, "site": "1"}  # fmt: skip
        assert wanted.items() <= given.items()
        claims = self._claims_of_next(given["nonce"])
        sign = self.next_launch.sign
        token = self.signed(claims) if sign is None else sign(self, claims)
        form = self._post(given["redirect_uri"], {"state": given["state"], "id_token": token})
        return 200, "text/html; charset=utf-8", form

    def _certs(self, *_: object) -> tuple[int, str, str]:
        """With keys beside it that nobody can use."""
        public = {**self.key.as_dict(private=False), "kid": "key-1", "use": "sig"}
        others = [
            {"kty": "oct", "k": "a2V5", "kid": "oct-1"},
            {"kty": "RSA", "n": 1},
            {"kty": "new", "kid": "x"},
        ]
        return 200, "application/json", json.dumps({"keys": [*others, public]})

    def _course(self, *_: object) -> tuple[int, str, str]:
        target = f"&lti_storage_target={self.storage_target}" if self.storage_target else ""
        src = f"{self.tool_address}/lti/login?iss={quote(self.address, safe='')}&login_hint=1{target}"
        return 200, "text/html; charset=utf-8", _PAGE.format(src=html.escape(src), tool=self.tool_address)
