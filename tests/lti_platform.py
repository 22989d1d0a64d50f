"""A learning platform for the tests: signs launches with real keys and serves them over a real socket.

`next_launch` is what it signs when a browser next comes to its log-in address; a test bends it as it likes.
Its course page shows the tool in a frame and stores for it, as LTI Client Side postMessages describe.
"""

from __future__ import annotations

import base64
import html
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, quote, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINK = "https://purl.imsglobal.org/spec/lti-dl/claim/"
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
LEARNER = f"{MEMBERSHIP}#Learner"
INSTRUCTOR = f"{MEMBERSHIP}#Instructor"
CLIENT, DEPLOYMENT, CONTEXT = "client-1", "deployment-1", "context-1"
NAME, EMAIL = "Canary Person", "canary.person@example.org"

_PAGE = """<!doctype html><title>Course</title><h1>Course</h1>
<iframe id="tool" src="{src}" width="900" height="700"></iframe>
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
</script>"""


@dataclass
class Launch:
    """A person who comes, and how the platform signs it."""

    subject: str = "user-1"
    role: str = LEARNER
    context: str = CONTEXT
    message: str = "LtiResourceLinkRequest"
    bend: Callable[[dict[str, Any]], None] = lambda claims: None
    sign: Callable[[LtiTestPlatform, dict[str, Any]], str] | None = None


@dataclass
class LtiTestPlatform:
    """A running platform; use it as a context."""

    key: RSAKey
    next_launch: Launch = field(default_factory=Launch)
    seen: list[str] = field(default_factory=list)
    tool: str = ""
    storage_target: str = ""

    def __enter__(self) -> Self:
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                platform._serve(self)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                platform._serve(self)

            def log_message(self, *_: object) -> None:
                """Tests read `seen`."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    @property
    def address(self) -> str:
        """Of another site than the tool, which is at 127.0.0.1."""
        return f"http://localhost:{self._server.server_address[1]}"

    @property
    def registration(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "client_id": CLIENT,
            "login_url": f"{self.address}/auth?site=1",
            "token_url": f"{self.address}/token",
            "jwks_url": f"{self.address}/jwks",
            "origins": (self.address,),
            "deployments": (DEPLOYMENT,),
        }

    def claims(self, nonce: str) -> dict[str, Any]:
        """All claims of `next_launch`, names and addresses of people included."""
        now, launch = int(time.time()), self.next_launch
        claims: dict[str, Any] = {
            "iss": self.address,
            "aud": CLIENT,
            "sub": launch.subject,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            "name": NAME,
            "email": EMAIL,
            f"{CLAIM}message_type": launch.message,
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": DEPLOYMENT,
            f"{CLAIM}target_link_uri": f"{self.tool}/lti/launch",
            f"{CLAIM}resource_link": {"id": "link-1"},
            f"{CLAIM}roles": [launch.role],
            f"{CLAIM}context": {"id": launch.context, "title": "Course <b>one</b>"},
        }
        if launch.message == "LtiDeepLinkingRequest":
            claims[f"{DEEP_LINK}deep_linking_settings"] = {
                "deep_link_return_url": f"{self.address}/deep-link",
                "accept_types": ["ltiResourceLink"],
                "accept_presentation_document_targets": ["iframe"],
                "data": "mark",
            }
        launch.bend(claims)
        return claims

    def token(self, nonce: str) -> str:
        claims = self.claims(nonce)
        if self.next_launch.sign is not None:
            return self.next_launch.sign(self, claims)
        return self.signed(claims)

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

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        self.seen.append(parts.path)
        kind, body = "text/html; charset=utf-8", ""
        if parts.path == "/jwks":
            oct_key = {"kty": "oct", "k": "a2V5", "kid": "oct-1"}
            listed = [oct_key, {"kty": "RSA", "n": 1}, {"kty": "new", "kid": "x"}]
            kind, body = "application/json", json.dumps(
                {"keys": [*listed, {**self.key.as_dict(private=False), "kid": "key-1", "use": "sig"}]}
            )  # fmt: skip
        elif parts.path == "/auth":
            body = self._form(dict(parse_qsl(parts.query)))
        elif parts.path == "/course":
            target = f"&lti_storage_target={self.storage_target}" if self.storage_target else ""
            src = f"{self.tool}/lti/login?iss={quote(self.address, safe='')}&login_hint=1{target}"
            body = _PAGE.format(src=html.escape(src), tool=self.tool)
        elif parts.path == "/deep-link":
            body = "<!doctype html><title>Linked</title><p>linked</p>"
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body.encode())))
        request.end_headers()
        request.wfile.write(body.encode())

    def _form(self, asked: dict[str, str]) -> str:
        """The platform's answer to the authentication request: a form that sends itself."""
        wanted = {"scope": "openid", "response_type": "id_token", "response_mode": "form_post",
                  "prompt": "none", "client_id": CLIENT, "site": "1"}  # fmt: skip
        assert wanted.items() <= asked.items()
        fields = {"state": asked["state"], "id_token": self.token(asked["nonce"])}
        inputs = "".join(
            f'<input type="hidden" name="{n}" value="{html.escape(v)}">' for n, v in fields.items()
        )
        action = html.escape(asked["redirect_uri"])
        return (
            f'<!doctype html><title>…</title><form id="f" method="post" action="{action}">{inputs}</form>'
            "<script>document.getElementById('f').submit()</script>"
        )
