"""Keeps the assistant's own instructions out of its answers, also while they are streamed."""

from __future__ import annotations

import re
from collections import deque

from vta.text import HAN, normalise

LONGEST_ECHO = 8
"""Words, or Chinese characters, in a row: so many of the instructions never appear in an answer."""

_LONGEST_WORD = 64
_HIDDEN = r"\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_TOKEN = re.compile(rf"[{HAN}]|[^\W_{HAN}](?:[^\W_{HAN}]|[{_HIDDEN}])*")


class PromptLeakFilter:
    """Lets an answer through piece by piece as long as it does not repeat `secret`; `allowed` may be said.

    Against an answer that spells the instructions in another way it holds nothing back: they hold no secret
    that this could betray.
    """

    def __init__(self, secret: str, *, allowed: str = "") -> None:
        self.leaked = False
        self._secret = _grams(secret) - _grams(allowed)
        self._last: deque[str] = deque(maxlen=LONGEST_ECHO)
        self._pending = ""

    def add(self, piece: str) -> str:
        """What may be shown now; a word that may still go on waits. Nothing once `leaked`."""
        self._pending += piece
        return self._release(whole=False)

    def rest(self) -> str:
        """What is left at the end of the answer."""
        return self._release(whole=True)

    def _release(self, *, whole: bool) -> str:
        shown = 0
        for found in _TOKEN.finditer(self._pending):
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
    tokens = [normalise(token) for token in _TOKEN.findall(text)]
    return {tuple(tokens[n : n + LONGEST_ECHO]) for n in range(len(tokens) - LONGEST_ECHO + 1)}
