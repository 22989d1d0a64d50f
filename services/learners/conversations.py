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
class ConversationLog:
    """The chosen conversations, those with the latest questions first.

    `too_few` is true where a selection of fewer than `SMALLEST` people hides everything.
    """

    conversations: tuple[ListedConversation, ...]
    questions: int
    too_few: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedConversation:
    name: str
    turns: tuple[LoggedTurn, ...]


def list_conversations(
    stores: Stores, course_id: CourseId, days: Days, selection: Selection
) -> ConversationLog:
    """The conversations of some days that hold a selected question."""
    asked = stores.analytics.facts(course_id, days.first, days.last)
    meant = selection.of(asked, group_near_duplicates)
    few = [turns for turns in (asked, meant) if turns and not _may_be_shown(turns)]
    meant = () if few else meant
    sessions: dict[str, list[TurnFact]] = {}
    for turn in reversed(meant):  # the first seen of a conversation is its latest
        sessions.setdefault(turn.session_id, []).insert(0, turn)
    return ConversationLog(
        conversations=tuple(
            ListedConversation(name=_name(stores, course_id, session), questions=tuple(turns))
            for session, turns in sessions.items()
        ),
        questions=len(meant),
        too_few=bool(few),
    )


def open_conversation(stores: Stores, course_id: CourseId, days: Days, turn_id: TurnId) -> OpenedConversation:
    """The conversation of a turn that was asked on these days.

    `NotFound` where it was not, and where too few people asked on them.
    """
    asked = stores.analytics.facts(course_id, days.first, days.last)
    if not _may_be_shown(asked) or all(turn.turn_id != turn_id for turn in asked):
        raise NotFound(Fault("conversation.unknown", people=SMALLEST))
    turns = stores.conversations.conversation(course_id, turn_id)
    return OpenedConversation(name=_name(stores, course_id, turns[0].turn.session_id), turns=turns)


def _may_be_shown(turns: Sequence[TurnFact]) -> bool:
    return large_enough(turn.person for turn in turns)


def _name(stores: Stores, course_id: CourseId, session_id: SessionId | str) -> str:
    return stores.research.disguise(course_id, "conversation", session_id)[:NAME_LENGTH].upper()
