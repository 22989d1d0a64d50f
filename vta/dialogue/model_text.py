"""What a language model says, as far as it may be shown, and how it came to its end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum

from vta.dialogue.degradations import ECHO, model_broke_off, model_failed
from vta.dialogue.formulas import DollarFormulas
from vta.dialogue.leak_filter import PromptLeakFilter
from vta.errors import AnswerCutShort, UpstreamFailed
from vta.ports import LanguageModel
from vta.sentences import sentence_spans
from vta.types import ChatMessage, CourseId, Degradation, Delta

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


class Ending(StrEnum):
    """How a model's answer ended."""

    COMPLETE = "complete"
    CUT_SHORT = "cut_short"
    BROKEN_OFF = "broken_off"
    LEAKED = "leaked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelText:
    """A model's words; `shown` is what was given out while they came, checked or as they were."""

    text: str
    shown: str
    ending: Ending
    degraded: Degradation | None

    @property
    def is_answer(self) -> bool:
        """Whether there is a text that stands for itself, were it only the beginning of a longer one."""
        return bool(self.text) and self.ending in (Ending.COMPLETE, Ending.CUT_SHORT)


async def stream_model(
    model: LanguageModel,
    messages: Sequence[ChatMessage],
    *,
    course_id: CourseId,
    refusal: str,
    check: Callable[[str], str] | None = None,
) -> AsyncGenerator[Delta | ModelText, None]:
    """The pieces as they come, and finally the whole.

    With `check`, whole sentences are shown as it returns them. Nothing is shown that repeats the
    instructions, nor what may yet become the `refusal`.
    """
    instructions = "\n".join(message.content for message in messages if message.role == "system")
    leaks, formulas = PromptLeakFilter(instructions, allowed=refusal), DollarFormulas()
    text, read, ready, shown = "", "", "", ""
    ending, degraded = Ending.COMPLETE, None
    try:
        async with aclosing(model.stream(messages, course_id=course_id)) as pieces:
            async for piece in pieces:
                text += formulas.add(leaks.add(piece))
                if check is None:
                    ready = text
                elif (whole := whole_sentences(text)) != read:
                    read, ready = whole, await asyncio.to_thread(check, whole)
                if (
                    text
                    and ready.startswith(shown)
                    and ready != shown
                    and not refusal.startswith(text.strip())
                ):
                    yield Delta(text=ready[len(shown) :])
                    shown = ready
                if leaks.leaked:
                    break
    except AnswerCutShort as cut:  # a good beginning, declared as one
        ending, degraded = Ending.CUT_SHORT, model_broke_off(cut)
    except UpstreamFailed as failure:
        ending, degraded = Ending.BROKEN_OFF, model_broke_off(failure) if shown else model_failed(failure)
    if ending is not Ending.BROKEN_OFF:
        text += formulas.add(leaks.rest())
    text += formulas.rest()
    if leaks.leaked:
        ending, degraded = Ending.LEAKED, ECHO
    yield ModelText(text=text, shown=shown, ending=ending, degraded=degraded)


def whole_sentences(text: str) -> str:
    """The text before its last sentence, which may go on."""
    spans = sentence_spans(text)
    return text[: spans[-1][0]].rstrip() if spans else ""


def close_blocks(text: str) -> str:
    """What closes the code block or display formula that a text breaks off in, else nothing."""
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
