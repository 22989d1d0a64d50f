"""Lists of literature: they name every subject of a text, and answer only who asks what to read."""

from __future__ import annotations

import re

from vta.text import normalise

_WORK = re.compile(
    r"[A-Z][\w'’-]+, (?:[A-Z]\.[\s,&]*){1,3}.{0,120}?\((?:19|20)\d\d[a-z]?\)"  # APA: Surname, I. ... (2007)
    r"|\[(?:[JMCDRNPSZ]|[ED]B/OL)\]\s*[.．,，].{0,60}?(?:19|20)\d\d",  # GB/T 7714: 题名[J]. 刊名, 2007
    re.DOTALL,
)
_LONGEST = 300
"""Characters of a work on average, where a text is a list of them."""
_FEWEST = 3
_ASKS = re.compile(
    r"\b(?:read|reads|readings?|papers?|articles?|references?|bibliography|literature|cite[sd]?|citations?|authors?|"
    r"stud(?:y|ies)|books?|published|sources?|who)\b|文献|论文|文章|参考|作者|出处|来源|阅读|谁|书"
)


def is_bibliography(text: str) -> bool:
    """Whether a passage is little else than a list of works."""
    works = len(_WORK.findall(text))
    return works >= _FEWEST and len(text) < _LONGEST * works


def asks_for_works(question: str) -> bool:
    """Whether a question may be answered by a list of works."""
    return _ASKS.search(normalise(question)) is not None
