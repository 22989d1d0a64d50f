"""The reasons of refusals; `texts.toml` has the words and the advice for each."""

from __future__ import annotations

from enum import StrEnum

from vta.errors import VtaError
from vta.faults import Fault
from vta.languages import Language


class RefusalReason(StrEnum):
    """Stable codes; the page shows them so that an engineer can look them up in docs/lti.md."""

    UNKNOWN_PLATFORM = "unknown_platform"
    INCOMPLETE = "incomplete"
    PLATFORM_SAID_NO = "platform_said_no"
    UNKNOWN_STATE = "unknown_state"
    OTHER_BROWSER = "other_browser"
    KEYS_UNREACHABLE = "keys_unreachable"
    UNKNOWN_KEY = "unknown_key"
    BAD_SIGNATURE = "bad_signature"
    WRONG_ISSUER = "wrong_issuer"
    WRONG_AUDIENCE = "wrong_audience"
    WRONG_TIME = "wrong_time"
    WRONG_NONCE = "wrong_nonce"
    WRONG_DEPLOYMENT = "wrong_deployment"
    WRONG_CLAIMS = "wrong_claims"
    NOT_CONNECTED = "not_connected"
    NOT_INSTRUCTOR = "not_instructor"
    WRONG_KEY = "wrong_key"
    EXPIRED = "expired"


_STATUS = {
    RefusalReason.UNKNOWN_PLATFORM: 403,
    RefusalReason.INCOMPLETE: 400,
    RefusalReason.KEYS_UNREACHABLE: 503,
    RefusalReason.NOT_CONNECTED: 404,
    RefusalReason.NOT_INSTRUCTOR: 403,
    RefusalReason.WRONG_KEY: 403,
}


class LaunchRefused(VtaError):
    """Someone is not let in; `detail` is for the log and names no person."""

    code = "launch_refused"

    def __init__(
        self, reason: RefusalReason, detail: str = "", *, back: str = "", language: Language | None = None
    ) -> None:
        """`back` is the platform's page to go back to, `language` that of its page, where they are known."""
        super().__init__(
            Fault("lti.launch_refused_since", reason=reason.value, detail=detail)
            if detail
            else Fault("lti.launch_refused", reason=reason.value)
        )
        self.reason = reason
        self.back = back
        self.language = language

    @property
    def status(self) -> int:
        """The status of the page; 401 where nothing else fits."""
        return _STATUS.get(self.reason, 401)
