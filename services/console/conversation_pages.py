"""The conversation log: what students asked, and one conversation with what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from fastapi.responses import RedirectResponse, Response

from services.console.forms import day_of
from services.console.visits import Visit, Visiting
from services.http.serving import ThreadedRouter
from services.use_cases.analytics import Days
from services.use_cases.conversations import list_conversations, open_conversation
from vta.analytics.facts import Ending, Mark
from vta.analytics.report import SMALLEST
from vta.analytics.selection import Outcome, Selection
from vta.types import TurnId

LONGEST, LONGEST_QUESTION = 200, 4000
"""Characters of a text and of a whole question in an address."""

router = ThreadedRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAddress:
    """The addresses of a log of some days, of which a selection is shown."""

    course: str
    days: Days
    selection: Selection = field(default_factory=Selection)

    @property
    def fields(self) -> Mapping[str, str]:
        """Days and selection as the fields of a form, what is not given left out."""
        chosen = self.selection
        found = {
            "from": self.days.first.isoformat(),
            "to": self.days.last.isoformat(),
            "outcome": chosen.outcome,
            "words": chosen.words,
            "ending": chosen.ending,
            "mark": chosen.mark,
            "concept": chosen.concept,
            "video": chosen.video,
            "start_s": chosen.start_s,
            "alike": chosen.alike,
            "slower_ms": chosen.slower_ms,
        }
        return {name: str(value) for name, value in found.items() if value not in (None, "")}

    @property
    def fixed(self) -> Mapping[str, str]:
        """Those of `fields` that the form has no field for."""
        shown = ("from", "to", "outcome", "words")
        return {name: value for name, value in self.fields.items() if name not in shown}

    def without(self, *names: str) -> str:
        """The same with less chosen."""
        kept = {name: value for name, value in self.fields.items() if name not in names}
        return f"{self._root}?{urlencode(kept)}"

    def at(self, number: int) -> str:
        """Another page of the same."""
        return f"{self._root}?{urlencode({**self.fields, 'page': number})}"

    def of(self, selection: Selection) -> str:
        """What is chosen otherwise, of the same days."""
        return replace(self, selection=selection).without()

    def day(self, day: str) -> str:
        """The same of one of the days alone."""
        return f"{self._root}?{urlencode({**self.fields, 'from': day, 'to': day})}"

    def turn(self, turn_id: str, **more: str) -> str:
        """The conversation of a turn, from which one finds back here."""
        query = urlencode({**self.fields, **more})
        return f"{self._root}/{quote(turn_id, safe='')}?{query}#turn-{quote(turn_id, safe='')}"

    @property
    def _root(self) -> str:
        return f"/console/{self.course}/conversations"


def selection_of(fields: Mapping[str, str]) -> Selection:
    """What an address chooses; what it does not say, or says wrongly, is not chosen."""
    outcome, ending, mark = (fields.get(name, "") for name in ("outcome", "ending", "mark"))
    words, concept, video = (fields.get(name, "")[:LONGEST] for name in ("words", "concept", "video"))
    start_s, slower_ms = (fields.get(name, "") for name in ("start_s", "slower_ms"))
    return Selection(
        outcome=Outcome(outcome) if outcome in set(Outcome) else None,
        words=words,
        ending=Ending(ending) if ending in set(Ending) else None,
        mark=Mark(mark) if mark in set(Mark) else None,
        concept=concept,
        video=video,
        start_s=int(start_s) if _is_number(start_s) else None,
        alike=fields.get("alike", "")[:LONGEST_QUESTION],
        slower_ms=float(slower_ms) if _is_number(slower_ms.replace(".", "", 1)) else None,
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


@router.get("/conversations")
def conversations(visit: Visiting) -> Response:
    """The conversations of some days, those with the latest questions first, by page."""
    address = _address(visit)
    log = list_conversations(
        visit.platform.stores, visit.course_id, address.days, address.selection, number=visit.number
    )
    return visit.page(
        "conversations.html", log=log, address=address, outcomes=tuple(Outcome), smallest=SMALLEST
    )


@router.get("/conversations/{turn}")
def conversation(visit: Visiting, turn: str) -> Response:
    """One conversation, opened at a turn."""
    address = _address(visit)
    opened = open_conversation(visit.platform.stores, visit.course_id, address.days, TurnId(turn))
    ids = [each.question_id for each in opened.turns if each.question_id]
    return visit.page(
        "conversation.html",
        opened=opened,
        address=address,
        messages=visit.platform.stores.threads.messages(visit.course_id, ids),
        handed_on="handed-on" in visit.query,
    )


@router.post("/conversations/{turn}/hand-on")
def hand_on(visit: Visiting, turn: str) -> Response:
    """Put a question in the inbox, as if its student had handed it on."""
    fields = {name: visit.field(name) for name in ("from", "to")}
    address = LogAddress(course=visit.course_id, days=days_of(visit, fields))
    open_conversation(visit.platform.stores, visit.course_id, address.days, TurnId(turn))
    visit.platform.stores.sessions.ask_ta(visit.course_id, TurnId(turn))
    return RedirectResponse(address.turn(turn, **{"handed-on": ""}), status_code=303)


def days_of(visit: Visit, fields: Mapping[str, str]) -> Days:
    """The days that an address or form names, by default the usual ones."""
    return visit.platform.analytics.days(*(day_of(fields.get(name), name) for name in ("from", "to")))


def _address(visit: Visit) -> LogAddress:
    selection = selection_of(visit.query)
    return LogAddress(course=visit.course_id, days=days_of(visit, visit.query), selection=selection)
