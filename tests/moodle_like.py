"""A platform that behaves as Moodle 4.5 was seen to: what its log-in sends, registers, links and serves.

Written after its public source and a review of launches from a real one. It offers no storage
(`lti_storage_target` never comes), frames the tool without asking, takes each `lti_message_hint` once, posts
the log-in into the frame, registers a tool by `openid-registration.php`, and checks what the tool signs.
"""

from __future__ import annotations

import html
import json
import re
import secrets
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from local_http import Asked, LocalHttp
from served_platform import Served

from services.lti.platform_store import LtiContext
from vta.types.courses import CourseId

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINK = "https://purl.imsglobal.org/spec/lti-dl/claim/"
TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
DEPLOYMENT, CONTEXT = "3", "117"

_FORM = """<!doctype html><title>Moodle</title><form id="f" method="post" action="{action}">{inputs}</form>
<script>document.getElementById("f").submit()</script>"""
_FRAME = """<!doctype html><html lang="en"><title>Moodle</title><h1>{title}</h1>
<iframe id="tool" src="{src}" width="1000" height="800"></iframe>"""
_TOOLS = """<!doctype html><html lang="en"><title>Manage tools</title><h1>Manage tools</h1>
<input id="url" aria-label="Tool URL"><button id="add">Add LTI Advantage</button><div id="space"></div>
<script>
document.getElementById("add").onclick = () => {
  const frame = document.createElement("iframe");
  frame.id = "registration"; frame.width = 900; frame.height = 600;
  frame.src = "/mod/lti/startltiadvregistration.php?url=" +
    encodeURIComponent(document.getElementById("url").value);
  document.getElementById("space").replaceChildren(frame);
};
addEventListener("message", (event) => {
  if (event.data?.subject === "org.imsglobal.lti.close") {
    document.getElementById("space").innerHTML = "<p id='pending'>Pending</p><button>Activate</button>";
  }
});
</script>"""


@cache
def signing_key() -> RSAKey:
    """One for all platforms of a process: to make one takes longer than a launch."""
    return RSAKey.generate_key(2048, {"kid": "key-1"})


@dataclass(frozen=True, slots=True)
class User:
    """Someone in the course."""

    id: str
    name: str
    role: str


STUDENT = User("4711", "Canary Student", "Learner")
TEACHER = User("12", "Canary Teacher", "Instructor")


@dataclass
class MoodleLike(LocalHttp):
    """A running platform; use it as a context. `tool` is what was registered, empty before."""

    tool: dict[str, Any] = field(default_factory=dict)
    links: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    """What its log-ins were sent."""
    locale: str = "en"
    key: RSAKey = field(default_factory=signing_key)
    host = "localhost"
    context: LtiContext = field(init=False)
    _hints: dict[str, tuple[User, str, str]] = field(default_factory=dict)

    def join(self, api: Served, course: str = "") -> None:
        """Be registered with a platform of ours by hand, and mapped to a course where one is named."""
        kept = api.platform.stores.lti_platforms
        known = kept.add(**self.registered(api.address))
        self.context = LtiContext(platform_id=known.id, deployment_id=DEPLOYMENT, context_id=CONTEXT)
        if course:
            kept.map(self.context, CourseId(course))

    def registered(self, tool: str, client_id: str = "KnY8kPqj4hFd3Zw") -> dict[str, Any]:
        """Register a tool by hand; gives what its administrator then enters there."""
        self.tool = {
            "client_id": client_id,
            "initiate_login_uri": f"{tool}/lti/login",
            "redirect_uris": [f"{tool}/lti/launch"],
            "jwks_uri": f"{tool}/lti/jwks",
            TOOL: {"target_link_uri": f"{tool}/lti/launch"},
        }
        configuration = self._configuration()
        return {
            "issuer": self.address,
            "client_id": client_id,
            "login_url": configuration["authorization_endpoint"],
            "jwks_url": configuration["jwks_uri"],
            "origins": (self.address,),
            "deployments": (DEPLOYMENT,),
        }

    def answer(self, request: Asked) -> None:
        body = request.body()
        parts = urlsplit(request.path)
        given = dict(parse_qsl(parts.query)) | dict(parse_qsl(body.decode(errors="replace")))
        name = parts.path.removeprefix("/mod/lti/").removesuffix(".php").replace("-", "_").replace("/", "_")
        status, kind, reply = getattr(self, f"_{name}", self._unknown)(given, request, body)
        if status == 302:
            request.reply("", kind, status, location=reply)
        else:
            request.reply(reply, kind, status)

    def _unknown(self, *_: object) -> tuple[int, str, str]:
        return 404, "text/plain", "not here"

    # --- registration -------------------------------------------------------------------------------------

    def _toolconfigure(self, *_: object) -> tuple[int, str, str]:
        return 200, "text/html", _TOOLS

    def _startltiadvregistration(self, given: dict[str, str], *_: object) -> tuple[int, str, str]:
        now = int(time.time())
        told = {"sub": secrets.token_hex(8)[:15], "scope": "reg", "iat": now, "exp": now + 3600}
        asked = {
            "openid_configuration": f"{self.address}/mod/lti/openid-configuration.php",
            "registration_token": jwt.encode({"alg": "RS256", "kid": "key-1"}, told, self.key),
        }
        url = given["url"]
        return 302, "text/html", f"{url}{'&' if '?' in url else '?'}{urlencode(asked)}"

    def _openid_configuration(self, *_: object) -> tuple[int, str, str]:
        return 200, "application/json", json.dumps(self._configuration())

    def _configuration(self) -> dict[str, Any]:
        root = f"{self.address}/mod/lti"
        return {
            "issuer": self.address,
            "token_endpoint": f"{root}/token.php",
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["RS256"],
            "jwks_uri": f"{root}/certs.php",
            "authorization_endpoint": f"{root}/auth.php",
            "registration_endpoint": f"{root}/openid-registration.php",
            "scopes_supported": ["openid"],
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public", "pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "claims_supported": ["sub", "iss", "name", "given_name", "family_name", "email"],
            "https://purl.imsglobal.org/spec/lti-platform-configuration": {
                "product_family_code": "moodle",
                "version": "4.5.6 (Build: 20250811)",
                "messages_supported": ["LtiResourceLinkRequest", "LtiDeepLinkingRequest"],
                "placements": ["AddContentMenu"],
                "variables": [],
            },
        }

    def _openid_registration(self, _: object, request: Asked, body: bytes) -> tuple[int, str, str]:
        bearer = request.headers.get("Authorization", "")
        if not bearer.startswith("Bearer "):
            return 401, "text/plain", "missing_registration_token"
        client_id = jwt.decode(bearer[7:], self.key, algorithms=["RS256"]).claims["sub"]
        if client_id == self.tool.get("client_id"):
            return 401, "text/plain", "token_already_used"
        told = json.loads(body)
        for name in (
            "response_types",
            "initiate_login_uri",
            "redirect_uris",
            "client_name",
            "jwks_uri",
            TOOL,
        ):
            if not told.get(name):
                return 400, "text/plain", f"missing required attribute {name}"
        if told["token_endpoint_auth_method"] != "private_key_jwt" or not told[TOOL].get("domain"):
            return 400, "text/plain", "invalid_token_endpoint_auth_method"
        self.tool = {**told, "client_id": client_id}
        return 200, "application/json", json.dumps(
            {**self.tool, TOOL: {**told[TOOL], "deployment_id": DEPLOYMENT}}
        )  # fmt: skip

    # --- launches -----------------------------------------------------------------------------------------

    def view_address(self, user: User, link: int = 0, context: str = CONTEXT) -> str:
        """The page of an activity: the tool in a frame, without blocks."""
        return f"{self.address}/mod/lti/view.php?{urlencode({'user': user.id, 'link': link, 'c': context})}"

    def select_address(self, user: User, context: str = CONTEXT) -> str:
        """The page on which a teacher presses "Select content"."""
        return f"{self.address}/mod/lti/contentitem.php?{urlencode({'user': user.id, 'c': context})}"

    def _view(self, given: dict[str, str], *_: object) -> tuple[int, str, str]:
        src = html.escape(f"/mod/lti/launch.php?{urlencode(given)}")
        return 200, "text/html", _FRAME.format(title="Ask the teaching assistant", src=src)

    def _contentitem(self, given: dict[str, str], *_: object) -> tuple[int, str, str]:
        src = html.escape(f"/mod/lti/launch.php?{urlencode({**given, 'link': '-1'})}")
        return 200, "text/html", _FRAME.format(title="Select content", src=src)

    def _launch(self, given: dict[str, str], *_: object) -> tuple[int, str, str]:
        hint = secrets.token_hex(8)
        user = TEACHER if given["user"] == TEACHER.id else STUDENT
        self._hints[hint] = (user, given["link"], given["c"])
        fields = {
            "iss": self.address,
            "target_link_uri": self._link(given["link"]).get("url", self.tool[TOOL]["target_link_uri"]),
            "login_hint": user.id,
            "lti_message_hint": hint,
            "client_id": self.tool["client_id"],
            "lti_deployment_id": DEPLOYMENT,
        }
        return 200, "text/html", self._post(self.tool["initiate_login_uri"], fields)

    def _link(self, number: str) -> dict[str, Any]:
        index = int(number)
        return self.links[index] if 0 <= index < len(self.links) else {}

    def _auth(self, given: dict[str, str], *_: object) -> tuple[int, str, str]:
        self.asked.append(given)
        wanted = {"scope": "openid", "response_type": "id_token", "response_mode": "form_post",
                  "prompt": "none", "client_id": self.tool["client_id"]}  # fmt: skip
        if not wanted.items() <= given.items() or given["redirect_uri"] not in self.tool["redirect_uris"]:
            return 400, "text/html", "<p>Invalid request</p>"
        user, link, context = self._hints.pop(given.get("lti_message_hint", ""))  # for one use
        claims = self.claims(user, link, context) | {"nonce": given["nonce"]}
        token = jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, self.key)
        return (
            200,
            "text/html",
            self._post(given["redirect_uri"], {"id_token": token, "state": given["state"]}),
        )

    def claims(self, user: User, link: str, context: str) -> dict[str, Any]:
        """What Moodle says of a launch, whose tool is given names."""
        now = int(time.time())
        told: dict[str, Any] = {
            "iss": self.address,
            "aud": self.tool["client_id"],
            "sub": user.id,
            "name": user.name,
            "iat": now,
            "exp": now + 60,
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": DEPLOYMENT,
            f"{CLAIM}roles": [f"{ROLE}{user.role}"],
            f"{CLAIM}context": {
                "id": context,
                "label": "ML1",
                "title": "Machine Learning",
                "type": ["CourseSection"],
            },
            f"{CLAIM}launch_presentation": {
                "locale": self.locale,
                "document_target": "iframe",
                "return_url": f"{self.address}/mod/lti/return.php?course={quote(context)}",
            },
            f"{CLAIM}tool_platform": {"product_family_code": "moodle", "version": "2024100706"},
        }
        if link == "-1":
            return told | {
                f"{CLAIM}message_type": "LtiDeepLinkingRequest",
                f"{CLAIM}target_link_uri": self.tool[TOOL]["target_link_uri"],
                f"{DEEP_LINK}deep_linking_settings": {
                    "accept_types": ["ltiResourceLink"],
                    "accept_presentation_document_targets": ["frame", "iframe", "window"],
                    "accept_multiple": True,
                    "deep_link_return_url": f"{self.address}/mod/lti/contentitem_return.php?course={context}",
                    "data": "mark",
                },
            }
        chosen = self._link(link)
        return told | {
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}target_link_uri": chosen.get("url", self.tool[TOOL]["target_link_uri"]),
            f"{CLAIM}resource_link": {"id": link, "title": chosen.get("title", "Assistant")},
            f"{CLAIM}custom": chosen.get("custom", {}),
        }

    def _contentitem_return(self, given: dict[str, str], *_: object) -> tuple[int, str, str]:
        claims = self._signed(given["JWT"], audience=self.address)
        assert claims[f"{DEEP_LINK}data"] == "mark"
        self.links += claims[f"{DEEP_LINK}content_items"]
        return 200, "text/html", "<!doctype html><title>Moodle</title><p>Content selected</p>"

    def _certs(self, *_: object) -> tuple[int, str, str]:
        public = {**self.key.as_dict(private=False), "kid": "key-1", "use": "sig", "alg": "RS256"}
        return 200, "application/json", json.dumps({"keys": [public]})

    def _signed(self, token: str, *, audience: str) -> dict[str, Any]:
        """The claims of what the tool signed, by its key set as it is published now."""
        keys = KeySet.import_key_set(httpx.get(self.tool["jwks_uri"], trust_env=False, timeout=60).json())
        claims = jwt.decode(token, keys, algorithms=["RS256"]).claims
        assert claims["iss"] == self.tool["client_id"]
        assert audience in (claims["aud"], *claims["aud"])
        return claims

    def _post(self, action: str, fields: dict[str, str]) -> str:
        inputs = "".join(
            f'<input type="hidden" name="{n}" value="{html.escape(v)}">' for n, v in fields.items()
        )
        return _FORM.format(action=html.escape(action), inputs=inputs)


def fields(page: httpx.Response) -> dict[str, str]:
    """What a form that sends itself sends."""
    return {n: html.unescape(v) for n, v in re.findall(r'name="(\w+)" value="([^"]*)"', page.text)}


def launch(lms: MoodleLike, tool: str, user: User, link: int = 0) -> httpx.Response:
    """What the frame of an activity shows, in a browser that keeps cookies and nothing else."""
    address = lms.view_address(user, link).replace("view.php", "launch.php")
    sent = httpx.post(
        f"{tool}/lti/login",
        data=fields(httpx.get(address, trust_env=False, timeout=60)),
        trust_env=False,
        timeout=60,
    )
    cookie = {"Cookie": sent.headers["set-cookie"].partition(";")[0]}
    back = fields(httpx.get(sent.headers["location"], trust_env=False, timeout=60))
    return httpx.post(f"{tool}/lti/launch", data=back, headers=cookie, trust_env=False, timeout=60)
