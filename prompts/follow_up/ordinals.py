"""What "the second one" and 第二种 mean: an item of the list in the last answer."""

from __future__ import annotations

import re

_NUMBERS = ("first|1st|一|1", "second|2nd|二|2", "third|3rd|三|3", "fourth|4th|四|4")
_ORDINALS = tuple(
    re.compile(
        rf"\bthe (?:{each}) (?:one|way|method|approach|kind|type|option|idea|point|step)\b|"
        rf"第(?:{each})(?:[个种类点条步]|种方法|个方法)(?:方法|办法|情况)?",
        re.IGNORECASE,
    )
    for each in _NUMBERS
)
_LINE = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)、])\s+(.+)$", re.MULTILINE)
_MARKS = re.compile(r"\[\d{1,3}\]|[*_`]")
_HEAD = re.compile(r"[:：]|\s[–—-]\s")
_COUNTED = re.compile(r"(?:有|分为|分成|可以用)[^，,]{0,4}?[两二三四2-4]大?[类种个][^，,]{0,4}[：:]?$")
_CLAUSE = re.compile(r"[。；;\n]")
_SUBJECT = re.compile(
    r"(?:一[类种]是|第[一二三四][类种]是)?(.{2,12}?)(?:是|在|把|将|指|用|通过|会|则|要|每|先|[，,：(（])"
)
_LONGEST = 40


def name_ordinal(question: str, answer: str) -> str | None:
    """The question with the n-th item of the answer in the place of "the n-th one"; None where none is."""
    for n, pattern in enumerate(_ORDINALS):
        if found := pattern.search(question):
            items = list_items(answer)
            if n < len(items):
                return f"{question[: found.start()]}{items[n]}{question[found.end() :]}"
    return None


def list_items(answer: str) -> list[str]:
    """The heads of a list, or what the Chinese clauses after 两种 begin with; fewer than two are none."""
    plain = _MARKS.sub("", answer)
    heads = [_HEAD.split(line, maxsplit=1)[0].strip() for line in _LINE.findall(plain)]
    if len(heads) < 2:
        clauses = _CLAUSE.split(plain)
        at = next((n for n, clause in enumerate(clauses, start=1) if _COUNTED.search(clause)), len(clauses))
        heads = [match[1].strip() for clause in clauses[at:] if (match := _SUBJECT.match(clause.strip()))]
    heads = [head for head in heads if 0 < len(head) <= _LONGEST]
    return heads if len(heads) > 1 else []
