"""The one analyser: how Chinese and English text becomes tokens, for the index and the query alike.

Two token streams are made of every text. *Words*: Chinese by jieba's dictionary in search mode (rjieba,
with the courses' concepts as user dictionary), English stemmed (Snowball); a compound such as "k-means" is
one word too, as in "kmeans". *Grams*: every Chinese character and every pair of neighbours, so that a domain
word which the dictionary cuts apart is still found. Numerals at a division or a counter have one form in both
(`vta.numerals`).
"""

from __future__ import annotations

import hashlib
import importlib.resources
import re
import sys
import unicodedata
from collections.abc import Iterable, Set
from functools import cache, cached_property, lru_cache
from operator import add
from threading import Lock
from typing import TYPE_CHECKING

import Stemmer

from vta.languages import Language
from vta.numerals import settled

if TYPE_CHECKING:
    import rjieba

ANALYSER_VERSION = 5
"""Raised whenever the same text would give other tokens; an index made by another version is rebuilt."""

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f"
"""Chinese characters, to stand between the brackets of a regular expression."""
FIRST_HAN = "\u3400"
_RUN = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+(?:\+\+|#)?", re.UNICODE)
_COMPOUND = re.compile(
    r"(?<![a-z0-9_])(?:[a-z][a-z0-9]*(?:[-\u2010][a-z0-9]+){1,2}|[bcefghjklnopqruvwxyz] [a-z]{4,})"
    r"(?![a-z0-9_])"
)
"""Words with hyphens between them, and a single letter with the word after it, as in "k means"."""
_CODE_NAME = re.compile(r"[A-Za-z]\w*_[A-Za-z]|(?<![A-Za-z])[a-z]{2,}[A-Z][a-z]|[A-Za-z0-9_]\(\)", re.ASCII)
_SINGLE = frozenset("bcefghjklnopqruvwxyz")
_HAN_RUN = re.compile(rf"[{HAN}]+")
_FIRST_RARE = 0x10000
_HAN_CHARACTER = re.compile(rf"[{HAN}]")
_LATIN_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_USER_WORD_FREQUENCY = 20_000


@lru_cache(maxsize=4_096)  # a question is compared with the same texts again and again
def names_code(text: str) -> bool:
    """Whether a name of code stands in a text: num_workers, readCsv, fit().

    On the open sets none of 1,042 pieces of small talk has one, and 46 of 626 questions have.
    """
    return _CODE_NAME.search(text) is not None


def normalise(text: str) -> str:
    """The form in which texts are compared.

    NFKC, format characters (zero width and the like) removed, lower case, traditional characters to
    simplified one by one, runs of white space to one space, stripped.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    visible = text
    if _may_hide().search(text):
        visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).lower())
    if _may_be_traditional().search(folded):  # quicker than to look up every character
        folded = folded.translate(_simplified_characters())
    return " ".join(folded.split())


def detect_language(text: str, default: Language) -> Language:
    """The language of a text by its letters; `default` where it has none."""
    han = len(_HAN_CHARACTER.findall(text))
    latin = len(_LATIN_WORD.findall(text))
    if not han and not latin:
        return default
    return Language.ZH if han * 2 >= latin else Language.EN


class Analyser:
    """Turns text into tokens. Safe to share between threads; equal dictionaries give equal tokens."""

    def __init__(self, dictionary: Iterable[str] = ()) -> None:
        """`dictionary` holds the concept names and aliases that Chinese segmentation must know."""
        self._user_words = user_words(dictionary)
        digest = hashlib.sha256("\n".join(self._user_words).encode())
        self.fingerprint = f"{ANALYSER_VERSION}-{digest.hexdigest()[:16]}"

    @cached_property
    def _jieba(self) -> rjieba.Jieba:
        return _segmenter(*self._user_words) if self._user_words else segmenter()

    def words(self, text: str) -> list[str]:
        """All words in order, function words included, then the compounds as one word each."""
        return self.words_and_grams(text)[0]

    def words_and_grams(self, text: str) -> tuple[list[str], list[str]]:
        """`words` and `grams` of a text, going through it once."""
        plain = settled(normalise(text))
        runs = _RUN.findall(plain)
        compounds = _compounds(plain, runs)
        if text.isascii():
            return [*map(stem, runs), *compounds], []
        words: list[str] = []
        grams: list[str] = []
        cut, add_one = self._jieba.cut_for_search, words.append
        for run in runs:
            if "\u4e00" <= run[0] <= "\u9fff" or (run[0] >= FIRST_HAN and _HAN_CHARACTER.match(run)):
                words.extend(cut(run, False))
                grams.extend(run)
                grams.extend(map(add, run, run[1:]))
            else:
                add_one(stem(run))
        words += compounds
        return words, grams

    def segments(self, text: str) -> list[str]:
        """The words as the text is cut, none inside another and none stemmed: for comparing texts."""
        tokens: list[str] = []
        for run in _RUN.findall(normalise(text)):
            tokens.extend(self._jieba.cut(run, False) if _HAN_CHARACTER.match(run) else [run])
        return tokens

    def content_words(self, text: str) -> list[str]:
        """The words that say what the text is about; all of them where it has no `own_words`."""
        return self.own_words(text) or self.words(text)

    def own_words(self, text: str) -> list[str]:
        """The words but function words and question templates ("what is", "什么是")."""
        return [word for word in self.words(strip_templates(text)) if word not in _stop_tokens()]

    def grams(self, text: str) -> list[str]:
        """Every Chinese character and every pair of neighbours, in order."""
        return [] if text.isascii() else _grams(_HAN_RUN.findall(settled(normalise(text))))

    def content_grams(self, text: str) -> list[str]:
        """The characters of the content and its pairs of neighbours, not across a function word."""
        return _grams(_content_runs(settled(strip_templates(text)), self._jieba))


def user_words(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that an `Analyser` must know, in order: Chinese ones of more than one character."""
    plain = (settled(normalise(name)) for name in names)
    return tuple(sorted({word for word in plain if len(word) > 1 and _is_han(word)}))


def _compounds(plain: str, runs: list[str]) -> list[str]:
    """The compounds of a normalised text and its runs, each as one word; most texts have none."""
    if "-" in plain or "\u2010" in plain or not _SINGLE.isdisjoint(runs):
        return [stem(_join(found)) for found in _COMPOUND.findall(plain)]
    return []


def _join(compound: str) -> str:
    return compound.replace("-", "").replace("\u2010", "").replace(" ", "")


@cache
def segmenter() -> rjieba.Jieba:
    """That without words of a course, loaded once in a process (0.2 s); nothing changes it."""
    import rjieba  # not loaded by what reads no text

    return rjieba.Jieba()


@lru_cache(maxsize=1)  # that of the present concepts, which others ask for again
def _segmenter(*words: str) -> rjieba.Jieba:
    import rjieba

    made = rjieba.Jieba()
    for word in words:
        made.add_word(word, _USER_WORD_FREQUENCY, "n")
    return made


def _grams(runs: Iterable[str]) -> list[str]:
    tokens: list[str] = []
    for run in runs:
        tokens.extend(run)
        tokens.extend(bigrams(run))
    return tokens


def bigrams(run: str) -> list[str]:
    """The pairs of neighbouring characters of a run."""
    return list(map(add, run, run[1:]))


def jaccard(one: Set[str], other: Set[str]) -> float:
    """|A & B| / |A | B| of two sets of terms; 0 where both are empty."""
    return len(one & other) / len(one | other) if one | other else 0.0


@lru_cache(maxsize=8)
def strip_templates(text: str) -> str:
    """The normalised text without the phrases that only ask: "什么是...", "what is the ... of"."""
    plain = normalise(text)
    for pattern in _template_patterns():
        plain = pattern.sub(" ", plain)
    return plain


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of an English word, itself for anything else."""
    if not (word.isascii() and word.isalpha()):
        return word
    stemmer, lock = _stemmer()
    with lock:
        return str(stemmer.stemWord(word))


@cache
def _stemmer() -> tuple[Stemmer.Stemmer, Lock]:
    return Stemmer.Stemmer("english"), Lock()


@cache
def _simplified_characters() -> dict[int, int]:
    return str.maketrans(*word_list("simplified_characters"))


@cache
def _may_be_traditional() -> re.Pattern[str]:
    return _any_of(map(chr, _simplified_characters()))


@cache
def _may_hide() -> re.Pattern[str]:
    return _any_of(c for c in map(chr, range(_FIRST_RARE)) if unicodedata.category(c) == "Cf")


def _any_of(characters: Iterable[str]) -> re.Pattern[str]:
    """Matches one of the characters, and every rare one: `re` is quick with the first 65,536 only."""
    common = "".join(c for c in characters if ord(c) < _FIRST_RARE)
    return re.compile(f"[{re.escape(common)}{chr(_FIRST_RARE)}-{chr(sys.maxunicode)}]")


@cache
def _stop_tokens() -> frozenset[str]:
    return frozenset(word_list("function_words_zh")) | {stem(w) for w in word_list("function_words_en")}


@cache
def _template_patterns() -> tuple[re.Pattern[str], ...]:
    chinese = sorted(word_list("templates_zh"), key=len, reverse=True)
    english = sorted(word_list("templates_en"), key=len, reverse=True)
    return (
        re.compile("|".join(map(re.escape, chinese))),
        re.compile(r"\b(?:" + "|".join(map(re.escape, english)) + r")\b"),
    )


def word_list(name: str) -> list[str]:
    """The lines of `vta/words/NAME.txt`, without comments."""
    text = importlib.resources.files("vta").joinpath("words", f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _content_runs(plain: str, jieba: rjieba.Jieba) -> list[str]:
    """Chinese runs of a normalised text, cut at function words."""
    runs: list[str] = []
    for han in _HAN_RUN.findall(plain):
        run = ""
        for word in jieba.cut(han, False):
            if word in _stop_tokens():
                runs.append(run)
                run = ""
            else:
                run += word
        runs.append(run)
    return [run for run in runs if run]


def _is_han(word: str) -> bool:
    return all(_HAN_CHARACTER.match(c) for c in word)
