"""The answer in a model's reply: without thoughts, and without a fence around all of it."""

from __future__ import annotations

import re
from typing import Final

_NAMES = (
    r"(?!END_)(?:\w+_)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad|monologue)"
    r"(?:_\w+)?"
)
_MARK: Final = re.compile(
    rf"(?P<open>[<◁]\|?(?:\w+:)?(?:START_)?{_NAMES}(?:\s[^<>\n]*)?\|?[>▷]|\[THINK\]"
    r"|<\|begin_of_thought\|>|<unused94>|<\|channel\|>(?:analysis|commentary)\b)"
    rf"|(?P<close>[<◁](?:\|?/(?:\w+:)?|\|END_){_NAMES}\|?[>▷]|\[/THINK\]"
    r"|<\|end_of_thought\|>|<unused95>|<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)
_UNFINISHED: Final = re.compile(
    r"(?:<\|(?:channel|start)\|>[\w ]{0,20}(?:<\|?\w{0,10}\|?)?|[<◁](?:[^\s<>◁▷][^<>◁▷\n]{0,48})?"
    r"|\[/?[A-Za-z]{0,5})\Z"
)
"""The end of a piece that may be the beginning of a mark."""
_LONGEST_MARK: Final = 80
_FENCE: Final = re.compile(r"\s*```[ \t]*(?:markdown|md|text|txt|plaintext)?[ \t]*\n", re.IGNORECASE)
_FENCE_BEGUN: Final = re.compile(r"\s*(?:`{1,2}|```[ \t]*[a-z]{0,10}[ \t]*)?\Z", re.IGNORECASE)
_INNER_FENCE: Final = re.compile(r"(?m)^[ \t]*```(.*)$")
_FENCE_END: Final = re.compile(r"\n?```\s*\Z")


class VisibleText:
    """The answer in a reply that comes in pieces.

    Thoughts stand between their marks, or before a closing mark alone. No mark counts inside code. An answer
    that begins with a fence of Markdown is held to its end, where the fence is taken off if it is around all.
    """

    def __init__(self, *, held: bool) -> None:
        """With `held` nothing is shown before the reply ends or a mark comes: it may begin with thoughts."""
        self.held = held
        self.closes_alone = False
        """A closing mark came without an opening one."""
        self.broken = False
        """That mark came after words that were shown."""
        self._raw = self._before = ""
        self._thinks = self._strips = False
        self._spoken = self._decided = self._fenced = False
        self._ticks = 0

    def add(self, piece: str) -> str:
        """The text that may be shown now that this piece came."""
        self._raw += piece
        shown = ""
        while mark := _MARK.search(self._raw):
            before, self._raw = self._raw[: mark.start()], self._raw[mark.end() :]
            shown = self._pass(mark, shown if self._thinks else shown + self._show(before))
        if self._thinks:
            self._raw = self._raw[-_LONGEST_MARK:]
            return shown
        unfinished = _UNFINISHED.search(self._raw)
        end = unfinished.start() if unfinished else len(self._raw)
        shown += self._show(self._raw[:end])
        self._raw = self._raw[end:]
        return shown

    def end(self, *, thought_held: bool = False) -> str:
        """The rest to show at the end of the reply; with `thought_held` what was held is a thought."""
        is_thought = self.held and thought_held
        if not self._thinks:
            self._show(self._raw)
        whole, self._raw, self._before = self._before, "", ""
        return "" if is_thought else _without_fence(whole)

    def _pass(self, mark: re.Match[str], shown: str) -> str:
        """The text shown once this mark was read, with `shown` before it."""
        if self._thinks:
            self._thinks = not mark["close"]
        elif self._ticks % 2:
            return shown + self._show(mark[0])
        elif mark["open"]:
            self._thinks, self._strips, self.held = True, True, False
            return shown + self._flush()
        else:
            self.closes_alone, self.broken = self._spoken, self._decided
            self._before, self._ticks, self._strips, self.held = "", 0, True, False
            self._spoken = self._decided = self._fenced = False
            return ""
        return shown

    def _show(self, text: str) -> str:
        """The text that may be shown once this text of the answer came."""
        if self._strips and not self._spoken:
            text = text.lstrip()
        self._spoken = self._spoken or bool(text.strip())
        self._ticks += text.count("`")
        self._before += text
        return self._flush()

    def _flush(self) -> str:
        """Release the held text, unless it has to wait."""
        if not self._decided:
            if not self._fenced and _FENCE.match(self._before):
                self._fenced = True
                self._ticks -= 3
            if self.held or self._fenced or _FENCE_BEGUN.match(self._before):
                return ""
            self._decided = True
        text, self._before = self._before, ""
        return text


def _without_fence(text: str) -> str:
    """The text without one fence around all of it."""
    begin, end = _FENCE.match(text), _FENCE_END.search(text)
    if begin is None or end is None or end.start() < begin.end() - 1:
        return text
    inner = text[begin.end() : end.start()]
    first = _INNER_FENCE.search(inner)
    return inner if first is None or first[1].strip() else text  # without a name it closes the first one
