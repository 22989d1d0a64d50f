"""Lines of text as runs of words: what stands between two marks of punctuation, which no name crosses."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vta.text import FIRST_HAN, HAN, segmenter

Word = str
Run = tuple[Word, ...]

_TAG = re.compile(r"<[^<>]*>")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_CODE_LIKE = re.compile(r"[_(){}\[\]=<>;:./\\]|[a-z][A-Z]|[-+*]\s|\d{2}")
_ONE_LATIN_WORD = re.compile(r"[A-Za-z0-9+#-]+")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")
_WORD = re.compile(rf"[{HAN}]+|[^\W_{HAN}](?:[^\W{HAN}]|[-'’](?=[^\W_{HAN}]))*(?:\+\+|#)?")
_HAN_START = re.compile(rf"[{HAN}]")
_PARTY = re.compile(r"[甲乙丙丁某A-Za-z](?:公司|企业|银行|商品|产品|同学|先生|某)\Z")
_CONTRACTED = re.compile(
    r".+['’](?:ll|re|ve|d|m|t)\Z|(?:here|there|that|it|what|let|who|he|she)['’]s\Z", re.IGNORECASE
)
_MARKED = re.compile(
    r"(?<!\*)\*{1,2}(?![*\s])([^*\n]{1,60})\*{1,2}(?!\*)|[“「『]([^“”「」『』\n]{1,40})[”」』]"
)


def marked_terms(line: str) -> Iterator[str]:
    """The pieces of a line of Markdown in bold or italics, or in quotation marks as Chinese sets its terms.

    What stands in code type or in straight quotation marks is a term once in three times.
    """
    for bold, quoted in _MARKED.findall(line):
        if term := (bold or quoted).strip('*`“”"「」 .,。，：:；;'):
            yield term


def plain_text(line: str) -> str:
    """A line without markup; code becomes breaks, but for words in code type."""
    if "`" in line:
        line = _CODE_SPAN.sub(lambda found: f" | {_code_words(found.group())} | ", line)
    line = _TAG.sub(" ", line) if "<" in line else line
    return _EMPHASIS.sub("", line) if "*" in line or "_" in line else line


def join_words(words: Sequence[Word]) -> str:
    """Words as they are written: no space next to a Chinese one."""
    text = words[0]
    for before, word in pairwise(words):
        text += word if is_han(before) or is_han(word) else " " + word
    return text


def is_han(word: str) -> bool:
    return word[0] >= FIRST_HAN and _HAN_START.match(word) is not None


def is_placeholder(words: Sequence[Word]) -> bool:
    """Whether words name nothing by themselves: a party of an example (甲公司), "you'll need"."""
    return _PARTY.match("".join(words)) is not None or any(map(_CONTRACTED.match, words))


def read_runs(text: str, tags: dict[Word, str]) -> list[Run]:
    """The runs of a line of text."""
    return list(_runs(plain_text(text), tags))


def _code_words(span: str) -> str:
    code = span.strip("`")
    return "" if _CODE_LIKE.search(code) or _ONE_LATIN_WORD.fullmatch(code) else code


def _runs(plain: str, tags: dict[Word, str]) -> Iterator[Run]:
    """The words of a plain line, cut at punctuation; Chinese by the segmenter's dictionary."""
    run: list[Word] = []
    end = 0
    for found in _WORD.finditer(plain):
        if run and plain[end : found.start()].strip(" \t\u00a0"):
            yield tuple(run)
            run = []
        end = found.end()
        text = found.group()
        if not _HAN_START.match(text):
            run.append(sys.intern(text.replace("’", "'")))
            continue
        for word, tag in segmenter().tag(text, False):
            word = sys.intern(word)
            tags.setdefault(word, tag)
            run.append(word)
    if run:
        yield tuple(run)
