"""The form in which the guard reads a text. What is stored and answered is never changed."""

from __future__ import annotations

import re
from functools import lru_cache

from vta.text import normalise

LONGEST = 1024
"""Characters that are read of a long text, half at its start and half at its end."""

_LETTER = r"[^\W\d_]"
_BETWEEN = r"[\s.\-_*|/·,，、]{1,2}"
_SPACED_OUT = re.compile(rf"(?<!{_LETTER})(?:{_LETTER}{_BETWEEN}){{3,}}{_LETTER}(?!{_LETTER})")
_NO_LETTER = re.compile(r"[\W_]+")


@lru_cache(maxsize=64)  # guard and distress read the same question
def unmask(text: str) -> str:
    """`normalise` (NFKC, no format characters, lower case, simplified), and spaced-out letters joined.

    "i g n o r e" and "忽 略 以 上" become words; four single letters in a row are needed for that.
    """
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} {text[-LONGEST // 2 :]}"
    return _SPACED_OUT.sub(lambda found: _NO_LETTER.sub("", found.group()), normalise(text))
