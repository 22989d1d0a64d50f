"""The text of a language model as far as it may be shown, and its ending."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

from vta.dialogue.degradations import ECHO, model_broke_off, model_failed
from vta.errors import AnswerCutShort, UpstreamFailed
from vta.ports import LanguageModel
from vta.text import HAN, normalise
from vta.types.answers import Delta
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage
from vta.types.pairs import Degradation

_FORMULA_TOKEN = re.compile(r"(?P<ticks>`+)|\\(?P<bracket>[()\]]|\[(?!\d))|\\[\s\S]")
_WAITS = re.compile(r"(?:`+|(?<!\\)(?:\\\\)*\\\[?)\Z")
_DOLLARS = {"(": "$", ")": "$", "[": "$$", "]": "$$"}
_OPENS = {")": "(", "]": "["}
LONGEST_ECHO = 8
"""Words, or Chinese characters, in a row: so many of the instructions never appear in an answer."""

_BETWEEN_PIECES_S = 0.1
"""Eyes read no faster, and each piece costs a millisecond on its way to the page."""

_LONGEST_WORD = 64
_HIDDEN = r"\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_WORD = re.compile(rf"[{HAN}]|[^\W_{HAN}](?:[^\W_{HAN}]|[{_HIDDEN}])*")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


class DollarFormulas:
    r"""Puts dollars in the place of LaTeX's brackets in a text that comes in pieces; never in code.

    A closing bracket counts only after its opening one. `\[1\]` is no formula but a mark of citation.
    """

    def __init__(self) -> None:
        self._kept = ""
        self._ticks = ""
        self._open = ""

    def add(self, piece: str) -> str:
        """The text that is certain after this piece; its end may wait for the next one."""
        text = self._kept + piece
        waits = _WAITS.search(text)
        self._kept = waits.group() if waits else ""
        return self._rewrite(text[: len(text) - len(self._kept)])

    def rest(self) -> str:
        """The waiting rest at the end of the text."""
        text, self._kept = self._kept, ""
        return self._rewrite(text)

    def _rewrite(self, text: str) -> str:
        return _FORMULA_TOKEN.sub(self._show, text)

    def _show(self, token: re.Match[str]) -> str:
        ticks, bracket = token["ticks"], token["bracket"]
        if ticks:
            self._ticks = ticks if not self._ticks else "" if self._ticks == ticks else self._ticks
        if self._ticks or not bracket or self._open != _OPENS.get(bracket, ""):
            return token.group()
        self._open = "" if bracket in _OPENS else bracket
        return _DOLLARS[bracket]


class PromptLeakFilter:
    """Lets an answer through piece by piece as long as it does not repeat `secret`; `allowed` may be said.

    An answer that spells the instructions in another way passes: they hold no secret.
    """

    def __init__(self, secret: str, *, allowed: str = "") -> None:
        self.leaked = False
        self._secret = _grams(secret) - _grams(allowed)
        self._last: deque[str] = deque(maxlen=LONGEST_ECHO)
        self._pending = ""

    def add(self, piece: str) -> str:
        """The text that may be shown now; an unfinished word waits. Nothing once `leaked`."""
        self._pending += piece
        return self._release(whole=False)

    def rest(self) -> str:
        """The rest at the end of the answer."""
        return self._release(whole=True)

    def _release(self, *, whole: bool) -> str:
        shown = 0
        for found in _WORD.finditer(self._pending):
            may_go_on = found.end() == len(self._pending) and len(found.group()) < _LONGEST_WORD
            if self.leaked or (may_go_on and not whole and not _is_han(found.group())):
                break
            self._last.append(normalise(found.group()))
            if tuple(self._last) in self._secret:
                self.leaked = True
                break
            shown = found.end()
        else:
            shown = len(self._pending)
        text, self._pending = self._pending[:shown], self._pending[shown:]
        return text


def _is_han(token: str) -> bool:
    return re.match(f"[{HAN}]", token) is not None


def _grams(text: str) -> set[tuple[str, ...]]:
    tokens = [normalise(token) for token in _WORD.findall(text)]
    return {tuple(tokens[n : n + LONGEST_ECHO]) for n in range(len(tokens) - LONGEST_ECHO + 1)}


class ReplyEnding(StrEnum):
    """How a model's answer ended."""

    COMPLETE = "complete"
    CUT_SHORT = "cut_short"
    BROKEN_OFF = "broken_off"
    LEAKED = "leaked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelText:
    """A model's words; `shown` is what was given out while they came."""

    text: str
    shown: str
    ending: ReplyEnding
    degraded: Degradation | None

    @property
    def is_answer(self) -> bool:
        """Whether the text, or its beginning, can stand alone."""
        return bool(self.text) and self.ending in (ReplyEnding.COMPLETE, ReplyEnding.CUT_SHORT)


async def stream_model(
    model: LanguageModel,
    messages: Sequence[ChatMessage],
    *,
    course_id: CourseId,
    refusal: str,
    tone: str | None = None,
) -> AsyncGenerator[Delta | ModelText, None]:
    """The pieces as they come, at most ten a second, and finally the whole.

    Nothing is shown that repeats the instructions but the course's `tone`, nor what may yet become the
    `refusal`.
    """
    instructions = "\n".join(message.content for message in messages if message.role == "system")
    leaks, formulas = PromptLeakFilter(instructions, allowed=f"{refusal}\n{tone or ''}"), DollarFormulas()
    text, shown, next_s = "", "", 0.0
    ending, degraded = ReplyEnding.COMPLETE, None
    try:
        async with aclosing(model.stream(messages, course_id=course_id)) as pieces:
            async for piece in pieces:
                text += formulas.add(leaks.add(piece))
                is_new = text != shown and not refusal.startswith(text.strip()[: len(refusal)])
                if is_new and (now_s := monotonic()) >= next_s:
                    yield Delta(text=text[len(shown) :])
                    shown, next_s = text, now_s + _BETWEEN_PIECES_S
                if leaks.leaked:
                    break
    except AnswerCutShort as cut:  # a good beginning, declared as one
        ending, degraded = ReplyEnding.CUT_SHORT, model_broke_off(cut)
    except UpstreamFailed as failure:
        ending = ReplyEnding.BROKEN_OFF
        degraded = model_broke_off(failure) if shown else model_failed(failure)
    if ending is not ReplyEnding.BROKEN_OFF:
        text += formulas.add(leaks.rest())
    elif shown and text != shown:  # what came since the last piece
        yield Delta(text=text[len(shown) :])
        shown = text
    text += formulas.rest()
    if leaks.leaked:
        ending, degraded = ReplyEnding.LEAKED, ECHO
    yield ModelText(text=text, shown=shown, ending=ending, degraded=degraded)


def close_blocks(text: str) -> str:
    """The closing mark of a code block or display formula that a text breaks off in, else nothing."""
    fence = ""
    for line in text.splitlines():
        opening = _FENCE.match(line)
        if fence and opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and opening:
            fence = opening[1]
    prose = text if not fence else text[: text.rindex(fence)]
    if fence:
        return f"\n{fence}"
    return "\n$$" if prose.count("$$") % 2 else ""
