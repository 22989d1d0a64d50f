"""A school's OpenID provider for the tests: real keys over a real socket, by OpenID Connect Core 1.0.

It logs in whoever `person` says, at once, and checks what a provider checks: the client, its secret, where to
come back to, PKCE, and that a code is used once. A test bends `claims` or `person` as it likes.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey
from local_http import Asked, LocalHttp

CLIENT, SECRET = "vta-client", "vta client's secret"


@dataclass
class SchoolProvider(LocalHttp):
    """Listens while it is entered."""

    person: dict[str, Any] = field(default_factory=dict)
    bend: Callable[[dict[str, Any]], None] = lambda claims: None
    tells_by_userinfo: bool = False
    asked: list[dict[str, str]] = field(default_factory=list)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "k1", "use": "sig"}))
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    host = "localhost"

    def answer(self, request: Asked) -> None:
        parts, body = urlsplit(request.path), request.body().decode()
        given = dict(parse_qsl(parts.query))
        match parts.path:
            case "/.well-known/openid-configuration":
                request.reply_json(self.metadata)
            case "/jwks":
                request.reply_json({"keys": [self.key.as_dict(private=False)]})
            case "/userinfo" if request.headers["authorization"] == "Bearer access":
                request.reply_json(self.person)
            case "/authorize":
                request.reply("", status=302, location=self.authorize(given))
            case "/token":
                request.reply_json(*self.token(dict(parse_qsl(body)), request.headers["authorization"] or ""))
            case _:
                request.send_error(404)

    @property
    def issuer(self) -> str:
        return self.address

    @property
    def metadata(self) -> dict[str, str]:
        names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        names["userinfo_endpoint"] = "userinfo"
        return {"issuer": self.issuer} | {name: f"{self.issuer}/{path}" for name, path in names.items()}

    def authorize(self, given: dict[str, str]) -> str:
        """Where the browser is sent back to, with a code."""
        assert given["client_id"] == CLIENT
        assert given["response_type"] == "code"
        assert given["code_challenge_method"] == "S256"
        self.asked.append(given)
        code = secrets.token_hex(8)
        self.codes[code] = given
        back = {"code": code, "state": given["state"], "iss": self.issuer}
        return f"{given['redirect_uri']}?{urlencode(back)}"

    def token(self, given: dict[str, str], authorization: str) -> tuple[dict[str, Any], int]:
        """The tokens of a code, once, for the client that has the verifier of its challenge."""
        client = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        asked = self.codes.pop(given["code"], None)
        challenge = base64.urlsafe_b64encode(sha256(given["code_verifier"].encode()).digest())
        if (
            unquote(client) != f"{CLIENT}:{SECRET}"
            or asked is None
            or given["redirect_uri"] != asked["redirect_uri"]
            or asked["code_challenge"] != challenge.decode().rstrip("=")
        ):
            return {"error": "invalid_grant"}, 400
        now = int(time.time())
        told = {"sub": self.person["sub"]} if self.tells_by_userinfo else self.person
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": asked["nonce"],
            **told,
        }
        self.bend(claims)
        token = jwt.encode({"alg": "RS256", "kid": "k1"}, claims, self.key)
        return {"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": token}, 200
