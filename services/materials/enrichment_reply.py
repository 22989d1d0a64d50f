"""What a language model may say of a passage, and what of its reply holds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vta.languages import Language
from vta.ports import Guard
from vta.sentences import split_sentences
from vta.text import Analyser, detect_language, jaccard, normalise

QUESTIONS = 3
"""Kept of a passage in one language."""
LONGEST_QUESTION, LONGEST_SUMMARY = 160, 300
"""Characters; what is longer is no question of a student, and no line."""
_ECHOED = 0.5
"""How alike, by its words, a line is to one of the prompt that was copied from it."""
_MARKUP = re.compile(r"://|\]\(|</|<\w|\{|\}|\bjson\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichmentForm:
    """A form: questions that the passage answers, by language, and what it is about."""

    english: tuple[str, ...]
    chinese: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPassage:
    """A passage with its heading, the words of the prompt around it, and the languages asked for.

    `language` is that of the prompt, in which the summary is.
    """

    text: str
    heading: str
    prompt: str
    languages: tuple[Language, ...]
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply:
    """What holds of a reply, and how many of its lines do not."""

    questions: tuple[str, ...]
    summary: str
    dropped: int


class ReplyCheck:
    """Keeps of replies what can be what a student asks about the passage, and nothing that it orders.

    A line is short, in its language, without markup, no order to a model, no copy of the prompt, and shares a
    word with the passage. What is in another language than the passage shares none: it holds where a line in
    the passage's own does, if one was asked for.
    """

    def __init__(self, analyser: Analyser, guard: Guard) -> None:
        self._analyser, self._guard = analyser, guard

    def read(self, reply: EnrichmentForm, asked: AskedPassage) -> ReadReply:
        """At most `QUESTIONS` in each language asked for, none twice and none that is the heading."""
        own = detect_language(asked.text, asked.language)
        passage, prompt = self._words(asked.text), [*map(self._words, split_sentences(asked.prompt))]

        def holds(text: str, language: Language, longest: int) -> bool:
            if not text or len(text) > longest or "\n" in text or _MARKUP.search(text):
                return False
            if detect_language(text, language) is not language or self._guard.inspect(text).flag:
                return False
            words = self._words(text)
            if any(jaccard(words, each) >= _ECHOED for each in prompt):
                return False
            return language is not own or not words.isdisjoint(passage)

        known, held = {_bare(asked.heading)}, list[tuple[Language, str]]()
        for language, lines in ((Language.EN, reply.english), (Language.ZH, reply.chinese)):
            wanted = [text for text in map(str.strip, lines) if holds(text, language, LONGEST_QUESTION)]
            new = {_bare(text): text for text in wanted if _bare(text) not in known}
            if language in asked.languages:
                held += [(language, text) for text in [*new.values()][:QUESTIONS]]
        summary = reply.summary.strip()
        if not holds(summary, asked.language, LONGEST_SUMMARY):
            summary = ""
        found = {language for language, _ in held} | ({asked.language} if summary else set())
        if own in (*asked.languages, asked.language) and own not in found:
            held, summary = [], ""
        said = sum(bool(each.strip()) for each in (*reply.english, *reply.chinese, reply.summary))
        dropped = said - len(held) - bool(summary)
        return ReadReply(questions=tuple(text for _, text in held), summary=summary, dropped=dropped)

    def _words(self, text: str) -> frozenset[str]:
        return frozenset(self._analyser.content_words(text))


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, normalise(text)))
