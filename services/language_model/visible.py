"""What of a model's reply is its answer: no thoughts, no tokens of its template, no fence around all."""

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
    r"|<\|end_of_thought\|>|<unused95>|<\|channel\|>final<\|message\|>)"
    r"|(?P<special><[|｜](?!channel\|)[\w▁ ]{1,40}[|｜]>|</?(?:s|answer)>"
    r"|<(?:start|end)_of_turn>|<(?:bos|eos|pad)>|\[/?INST\])",
    re.IGNORECASE,
)
_UNFINISHED: Final = re.compile(
    r"(?:<\|(?:channel|start)\|>[\w ]{0,20}(?:<\|?\w{0,10}\|?)?|[<◁](?:[^\s<>◁▷][^<>◁▷\n]{0,48})?"
    r"|\[/?[A-Za-z]{0,5})\Z"
)
"""The end of a piece that may be the beginning of a mark."""
_ROLE: Final = re.compile(r"\s*(?P<role>(?:assistant|model)\b\s*|[a-z]{0,9}\Z|)", re.IGNORECASE)
_LONGEST_MARK: Final = 80
_FENCE: Final = re.compile(r"\s*```[ \t]*(?:markdown|md|text|txt|plaintext)?[ \t]*\n", re.IGNORECASE)
_FENCE_BEGUN: Final = re.compile(r"\s*(?:`{1,2}|```[ \t]*[a-z]{0,10}[ \t]*)?\Z", re.IGNORECASE)
_INNER_FENCE: Final = re.compile(r"(?m)^[ \t]*```(.*)$")
_FENCE_END: Final = re.compile(r"\n?```\s*\Z")


class VisibleText:
    """The answer in a reply that comes in pieces.

    Thoughts are what stands between their marks, or before a closing mark alone. A token of the template ends
    the answer, or is left out before its first word. None of this counts inside code. An answer that begins
    with a fence of Markdown is held to its end, where the fence is taken off if it is around all.
    """

    def __init__(self, *, held: bool) -> None:
        """`held`: nothing is shown before the reply ends or shows where its thoughts are, since they may have
        begun without a mark."""
        self.held = held
        self.ended = False
        """Whether a token of the template ended the answer."""
        self.closes_alone = False
        """Whether a closing mark came without an opening one."""
        self.broken = False
        """Whether that mark came after words that were shown."""
        self._raw = self._before = ""
        self._thinks = self._skips_role = self._strips = self._strikes = False
        self._spoken = self._decided = self._fenced = False
        self._ticks = 0

    def add(self, piece: str) -> str:
        """What may be shown now that this piece came."""
        if self.ended:
            return ""
        self._raw += piece
        shown = ""
        while not self.ended:
            if self._skips_role and (role := _ROLE.match(self._raw)):
                if role.end() == len(self._raw):
                    break
                self._raw, self._skips_role = self._raw[role.end() :], False
            mark = _MARK.search(self._raw)
            if mark is None:
                unfinished = _UNFINISHED.search(self._raw)
                end = unfinished.start() if unfinished else len(self._raw)
                if self._thinks:
                    self._raw = self._raw[-_LONGEST_MARK:]
                else:
                    shown += self._show(self._raw[:end])
                    self._raw = self._raw[end:]
                break
            before, self._raw = self._raw[: mark.start()], self._raw[mark.end() :]
            shown = self._pass(mark, shown if self._thinks else shown + self._show(before))
        return shown

    def end(self, *, thought_held: bool = False) -> str:
        """The rest to show at the end of the reply; with `thought_held` what was held is a thought."""
        is_thought = self.held and thought_held
        if not (self._thinks or self.ended):
            self._show(self._raw)
        whole, self._raw, self._before = self._before, "", ""
        return "" if is_thought else _without_fence(whole)

    def _pass(self, mark: re.Match[str], shown: str) -> str:
        """What is shown once this mark was read, with `shown` before it."""
        if self._thinks:
            self._thinks = not mark["close"]
        elif self._ticks % 2 or self._is_html(mark[0]):
            return shown + self._show(mark[0])
        elif mark["open"]:
            self._thinks, self._strips, self.held = True, True, False
            return shown + self._flush()
        elif mark["close"]:
            self.closes_alone, self.broken = self._spoken, self._decided
            self._before, self._ticks, self._strips, self.held = "", 0, True, False
            self._spoken = self._decided = self._fenced = False
            return ""
        elif self._spoken:
            self.ended = True
        else:
            self._skips_role = True
        return shown

    def _is_html(self, mark: str) -> bool:
        """Whether it is HTML in the answer: a `<s>` after the first word, or the end of one."""
        is_begin, is_end = mark.lower() in ("<s>", "<answer>"), mark.lower() in ("</s>", "</answer>")
        self._strikes = (is_begin and self._spoken) or (is_end and self._strikes)
        return self._strikes

    def _show(self, text: str) -> str:
        """What may be shown once this text of the answer came."""
        if self._strips and not self._spoken:
            text = text.lstrip()
        self._spoken = self._spoken or bool(text.strip())
        self._ticks += text.count("`")
        self._before += text
        return self._flush()

    def _flush(self) -> str:
        """What is held, unless it must be held on."""
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
