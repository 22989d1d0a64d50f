"""The principal of a request: a learner by token or launch, a platform by key, anyone where allowed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Set
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from services.clock import SystemClock
from services.people.course_keys import Name, is_learners
from services.people.tokens import TokenRefused, VisitorTokens, cookie_name
from services.store.store_secrets import GIVEN, TOKENS_BEGIN, VISITOR_TOKENS, VOUCHED
from services.web.callers import check_origin
from services.web.problems import ProblemRaised, forbidden, unauthorized
from services.web.serving import part_of_app
from services.wiring import Platform
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import CourseId, CourseKey, Role, SessionId, TurnId
from vta.types.questions import Question

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="Visitor",
    description="A visitor's token or a platform's key; nothing where VTA_OPEN_SIDEBAR is true.",
)
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
ASKER_PROBLEMS = {
    401: "No token or key where one is needed, or one that opens nothing.",
    403: "The token or key opens something else.",
}
"""For `problems`, of the routes that learners call."""
_KEYS_BEGIN = "vta_"
_LIKE_A_KEY = re.compile(r"^vta_|[0-9a-f]{12}_[\w-]{16,}", re.IGNORECASE)
_LOG_INS_OF_PROXIES = frozenset({"basic", "digest", "negotiate", "ntlm"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The principal of a request in a course: a learner with a token, the platform, or neither.

    Instructors are admitted only by routes of learners' data. The sessions of a learner with a token are
    visible to that learner and the platform alone. `is_named` is true for a learner whom the platform named,
    so that they are the same learner when they come again.
    """

    course_id: CourseId
    learner_id: str | None = None
    is_named: bool = False
    email: str | None = None
    key: CourseKey | None = None

    @property
    def is_platform(self) -> bool:
        return self.key is not None and self.key.role is Role.PLATFORM

    def may_see(self, learner_id: str | None) -> bool:
        """True if the principal may see a session of that learner; None is nobody's."""
        if self.is_platform:
            return True
        if self.learner_id is not None:
            return learner_id == self.learner_id
        return learner_id is None or not learner_id.startswith(VOUCHED)


class Authenticator:
    """Identifies the principals of one platform and their sessions."""

    def __init__(self, platform: Platform) -> None:
        self.tokens = VisitorTokens(platform.stores.secrets.secret(VISITOR_TOKENS), SystemClock())
        self._stores = platform.stores
        self._is_open = platform.settings.open_sidebar

    async def admit_without_bearer(self, course_id: CourseId, request: Request) -> Principal:
        """The principal by the cookie of a launch, or without one where the sidebar is open; else 401."""
        if cookie := request.cookies.get(cookie_name(course_id)):
            if request.method not in ("GET", "HEAD"):
                check_origin(request)
            return await asyncio.to_thread(self._admit_launched, course_id, cookie)
        if not self._is_open:
            raise unauthorized(Fault("account.visitor_needed"))
        return Principal(course_id=course_id)

    async def admits_browser(self, course_id: CourseId, request: Request) -> bool:
        """True if a page may show the material: with a launch cookie, or where the sidebar is open."""
        try:
            refuse_other_log_ins(request)
            await self.admit_without_bearer(course_id, request)
        except ProblemRaised:
            return False
        return True

    async def identify(
        self,
        course_id: CourseId,
        bearer: HTTPAuthorizationCredentials | None,
        request: Request,
        *,
        roles: Set[Role] = frozenset({Role.PLATFORM}),
        ignores_foreign: bool = False,
    ) -> Principal:
        """As the dependency of `principals`, for a course that no address names."""
        if bearer is None:
            refuse_other_log_ins(request)
        elif not (ignores_foreign and _is_foreign(bearer.credentials)):
            return await asyncio.to_thread(self.admit, course_id, bearer.credentials, roles=roles)
        return await self.admit_without_bearer(course_id, request)

    def admit(
        self, course_id: CourseId, credentials: str, *, roles: Set[Role] = frozenset({Role.PLATFORM})
    ) -> Principal:
        """The principal of a token, or of a key with one of the roles."""
        if credentials.startswith(TOKENS_BEGIN):
            return self._admit_launched(course_id, credentials)
        if not credentials.startswith(_KEYS_BEGIN):
            try:
                visitor = self.tokens.read(credentials, course_id)
            except TokenRefused as refusal:
                raise unauthorized(refusal.fault) from refusal
            return Principal(
                course_id=course_id,
                learner_id=visitor.learner_id,
                is_named=visitor.is_named,
                email=visitor.email,
            )
        key = self._stores.keys.check(credentials)
        if key is None:
            raise unauthorized(Fault("key.unknown"))
        if key.course_id != course_id or key.role not in roles:
            raise forbidden(Fault("key.elsewhere"))
        return Principal(course_id=course_id, key=key)

    def _admit_launched(self, course_id: CourseId, token: str) -> Principal:
        visit = self._stores.visits.find(token, course_id)
        if visit is None:
            raise unauthorized(Fault("account.visit_ended"))
        return Principal(course_id=course_id, learner_id=visit.learner_id, is_named=True)

    def pseudonymise(self, principal: Principal, given: str | None) -> str | None:
        """The pseudonym that a question is stored under; 403 for a name that is not the principal's."""
        if principal.is_platform:
            return self.tokens.pseudonym(principal.course_id, given) if given else None
        if principal.learner_id is not None:
            if given not in (None, principal.learner_id):
                raise forbidden(Fault("account.token_of_other"))
            return principal.learner_id
        if given is not None and given.startswith(VOUCHED):
            raise forbidden(Fault("account.token_needed"))
        return self.tokens.pseudonym(principal.course_id, given, prefix=GIVEN) if given else None

    def question_of(self, principal: Principal, question: Question) -> Question:
        """The question in the name of who asks it, in a session that is theirs."""
        learner = self.pseudonymise(principal, question.learner_id)
        return replace(question, learner_id=learner, session_id=self.enter(principal, question.session_id))

    def enter(self, principal: Principal, session_id: SessionId | None) -> SessionId | None:
        """The session to continue; None for a new one, also where the named one is another's.

        A session that began before its learner had a token is another's, too: nobody can plant one.
        """
        if session_id is None:
            return None
        try:
            owner = self._stores.sessions.learner(principal.course_id, session_id)
        except NotFound:
            return session_id
        return session_id if principal.may_see(owner) else None

    def require_session(self, principal: Principal, session_id: SessionId) -> None:
        """`NotFound`, in the same words as for a session that never was, unless it is theirs."""
        if not principal.may_see(self._stores.sessions.learner(principal.course_id, session_id)):
            raise NotFound(Fault("session.unknown", session=session_id, course=principal.course_id))

    def require_turn(self, principal: Principal, turn_id: TurnId) -> None:
        """As `require_session`, for a turn."""
        if not principal.may_see(self._stores.sessions.learner_of_turn(principal.course_id, turn_id)):
            raise NotFound(Fault("session.no_turn", turn=turn_id, course=principal.course_id))

    def require_learner(self, principal: Principal, learner: str) -> None:
        """401 for someone without a token or key; 403 for another learner's token."""
        if principal.key is None and principal.learner_id is None:
            raise unauthorized(Fault("account.learner_or_key"))
        if principal.key is None and learner != principal.learner_id:
            raise forbidden(Fault("account.other_learner"))

    def may_erase_vouched(self, principal: Principal, learner: str) -> bool:
        """True if the erasure includes a vouched learner; 403 where the principal may erase nothing."""
        if principal.key is None and principal.learner_id is None and not learner.startswith(VOUCHED):
            return False
        if principal.key is None and learner != principal.learner_id:
            raise forbidden(Fault("account.other_learner"))
        return True


Authenticating = Annotated[Authenticator, part_of_app(lambda parts: parts.authenticator)]


def principals(
    *, ignores_foreign: bool = False, admits_instructors: bool = False
) -> Callable[..., Awaitable[Principal]]:
    """A dependency: the principal of a request.

    401 for a token or key that opens nothing, and without either where the sidebar is closed; 403 for a key
    that opens something else. `ignores_foreign` ignores a bearer that cannot be ours: clients of other APIs
    always send one. `admits_instructors` also admits an instructor's key of the course.
    """
    roles = {Role.PLATFORM, Role.INSTRUCTOR} if admits_instructors else {Role.PLATFORM}

    async def check(
        course: Name, bearer: Bearer, request: Request, authenticator: Authenticating
    ) -> Principal:
        return await authenticator.identify(
            CourseId(course), bearer, request, roles=roles, ignores_foreign=ignores_foreign
        )

    return check


Asker = Annotated[Principal, Depends(principals())]


async def require_session(session: Name, who: Asker, authenticator: Authenticating) -> SessionId:
    """A dependency: the session in the address, which must be of who asks; else `NotFound`."""
    await asyncio.to_thread(authenticator.require_session, who, SessionId(session))
    return SessionId(session)


async def require_turn(turn: Name, who: Asker, authenticator: Authenticating) -> TurnId:
    """A dependency: the turn in the address, which must be of who asks; else `NotFound`."""
    await asyncio.to_thread(authenticator.require_turn, who, TurnId(turn))
    return TurnId(turn)


OwnSession = Annotated[SessionId, Depends(require_session)]
OwnTurn = Annotated[TurnId, Depends(require_turn)]


def refuse_other_log_ins(request: Request) -> None:
    """401 for a header without a usable bearer that is more than a log-in at a proxy before us."""
    given = request.headers.get("authorization", "")
    if given and given.partition(" ")[0].lower() not in _LOG_INS_OF_PROXIES:
        raise unauthorized(Fault("account.bearer_needed"))


def _is_foreign(credentials: str) -> bool:
    """True for a bearer that is neither a key nor a token of ours, nor a damaged key."""
    return not _LIKE_A_KEY.search(credentials) and not is_learners(credentials)
