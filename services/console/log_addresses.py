"""The addresses of the conversation log as it is filtered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from services.use_cases.analytics import Days
from vta.analytics.endings import Ending
from vta.analytics.facts import Mark
from vta.analytics.selection import Outcome, Selection

LONGEST, LONGEST_QUESTION = 200, 4000
"""Characters of a text and of a whole question in an address."""


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
