"""The conversation log: the questions and answers of students, without their identity.

Conversations have names that do not link those of one student. A selection of fewer than `SMALLEST` people is
not shown, be it all of the days or a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.analytics.service import Days
from services.faq.near_duplicates import group_near_duplicates
from services.learners.store import LoggedTurn
from services.stores import Stores
from vta.analytics.facts import TurnFact
from vta.analytics.report import SMALLEST, large_enough
from vta.analytics.selection import Selection
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import CourseId, SessionId, TurnId

PAGE_SIZE = 20
"""Conversations on a page."""
NAME_LENGTH = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedConversation:
    """A conversation by those of its questions that are meant, in order."""

    name: str
    questions: tuple[TurnFact, ...]

    @property
    def last(self) -> TurnFact:
        return self.questions[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """A page of conversations, the latest questions first.

    `too_few` is true where a selection of fewer than `SMALLEST` people hides everything.
    """

    conversations: tuple[ListedConversation, ...]
    total: int
    questions: int
    too_few: bool
    number: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedConversation:
    """A conversation with all its turns."""

    name: str
    turns: tuple[LoggedTurn, ...]


def list_conversations(
    stores: Stores, course_id: CourseId, days: Days, selection: Selection, *, number: int = 1
) -> LogPage:
    """The page asked for, or the last one where there are not so many."""
    asked = stores.analytics.facts(course_id, days.first, days.last)
    meant = selection.of(asked, group_near_duplicates)
    few = [turns for turns in (asked, meant) if turns and not _may_be_shown(turns)]
    meant = () if few else meant
    sessions: dict[str, list[TurnFact]] = {}
    for turn in reversed(meant):  # the first seen of a conversation is its latest
        sessions.setdefault(turn.session_id, []).insert(0, turn)
    last = max(1, -(-len(sessions) // PAGE_SIZE))
    number = min(number, last)
    shown = list(sessions.items())[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return LogPage(
        conversations=tuple(
            ListedConversation(name=_name(stores, session), questions=tuple(turns))
            for session, turns in shown
        ),
        total=len(sessions),
        questions=len(meant),
        too_few=bool(few),
        number=number,
        last=last,
    )


def open_conversation(stores: Stores, course_id: CourseId, days: Days, turn_id: TurnId) -> OpenedConversation:
    """The conversation of a turn that was asked on these days.

    `NotFound` where it was not, and where too few people asked on them.
    """
    asked = stores.analytics.facts(course_id, days.first, days.last)
    if not _may_be_shown(asked) or all(turn.turn_id != turn_id for turn in asked):
        raise NotFound(Fault("conversation.unknown", people=SMALLEST))
    turns = stores.conversations.conversation(course_id, turn_id)
    return OpenedConversation(name=_name(stores, turns[0].turn.session_id), turns=turns)


def _may_be_shown(turns: Sequence[TurnFact]) -> bool:
    return large_enough(turn.person for turn in turns)


def _name(stores: Stores, session_id: SessionId | str) -> str:
    return stores.analytics.disguise("conversation", session_id)[:NAME_LENGTH].upper()
