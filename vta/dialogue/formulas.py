r"""Formulas in the one notation that is shown: many models write \( \) and \[ \] for $ $ and $$ $$."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"(?P<ticks>`+)|\\(?P<bracket>[()\]]|\[(?!\d))|\\[\s\S]")
_WAITS = re.compile(r"(?:`+|(?<!\\)(?:\\\\)*\\\[?)\Z")
_DOLLARS = {"(": "$", ")": "$", "[": "$$", "]": "$$"}
_OPENS = {")": "(", "]": "["}


class DollarFormulas:
    r"""Puts dollars in the place of LaTeX's brackets in a text that comes in pieces; never in code.

    A closing bracket counts only after its opening one. `\[1\]` is no formula but a mark of citation.
    """

    def __init__(self) -> None:
        self._kept = ""
        self._ticks = ""
        self._open = ""

    def add(self, piece: str) -> str:
        """What is sure after this piece: its end may wait for the next one."""
        text = self._kept + piece
        waits = _WAITS.search(text)
        self._kept = waits.group() if waits else ""
        return self._rewrite(text[: len(text) - len(self._kept)])

    def rest(self) -> str:
        """What was still waiting when the text came to its end."""
        text, self._kept = self._kept, ""
        return self._rewrite(text)

    def _rewrite(self, text: str) -> str:
        return _TOKEN.sub(self._show, text)

    def _show(self, token: re.Match[str]) -> str:
        ticks, bracket = token["ticks"], token["bracket"]
        if ticks:
            self._ticks = ticks if not self._ticks else "" if self._ticks == ticks else self._ticks
        if self._ticks or not bracket or self._open != _OPENS.get(bracket, ""):
            return token.group()
        self._open = "" if bracket in _OPENS else bracket
        return _DOLLARS[bracket]
