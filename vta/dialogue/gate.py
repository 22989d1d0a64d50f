"""Small talk or a question: one decision, made after the search, of the intent and of what was found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.course_life import rows_of
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.routing import relevance_of
from vta.dialogue.small_talk import beyond_courtesy, is_upset, names_talk
from vta.faq import asks
from vta.kinds import kinds_of
from vta.text import names_code, normalise
from vta.types.pairs import Candidate

_NOTHING_NEAR = 0.25
"""Below it a course holds nothing near: none of ten courses' questions that look like another task is."""
_ASKS = re.compile(r"[?？]|吗|呢|么|几|多少|怎|咋|啥|哪|谁|为何|何时|干嘛|能否|是否|(.)不\1|[不没]$")
"""The interrogatives of Chinese, a closed class, and question marks; English ones stand in `kinds_of`."""
_OF_THE_ASSISTANT = re.compile(r"[你您]|\byours?\b|\byou\b")
_THIS_COURSE = re.compile(r"这门?课|本课程|\bthis (?:class|course)\b")


def is_small_talk(context: UnderstoodQuestion, candidates: Sequence[Candidate] | None) -> bool:
    """Whether a question is a cry for help, small talk, or a task that is not the course's.

    A question about a place, an operation on the last answer and a question with a corrected word are none.
    `candidates` are None where search failed.
    """
    if context.in_distress:
        return True
    if context.scope is not None or context.resolved != context.question:
        return False
    return _only_feels(context) or _is_likely(context, candidates)


def _only_feels(context: UnderstoodQuestion) -> bool:
    """Whether a student asks nothing and is upset, about nothing smaller than the course as a whole."""
    plain = normalise(context.question)
    if kinds_of(context.question) or not is_upset(plain):
        return False
    name, this = normalise(context.course.name), _THIS_COURSE.search(plain)
    is_whole = context.intent.chit_chat > context.thresholds.alpha or name in plain or this is not None
    mentions = context.mentions
    if context.goes_on:
        mentions = context.knowledge.linker.link(context.question, course=context.course)
    subjects = f"{name} {this.group() if this else ''}"
    return is_whole and all(normalise(each.surface) in subjects for each in mentions)


def _is_likely(context: UnderstoodQuestion, candidates: Sequence[Candidate] | None) -> bool:
    """Whether h is above alpha, only thanks are said, or another task is likely that the course does not do.

    A question in the same words as the FAQ, with a name of code, about two things of how a course is run,
    with a concept of its own on which the course answers, or about something else than the assistant and the
    things of small talk is neither, but where another task is likely and the course holds nothing near.
    """
    question, intent, thresholds = context.question, context.intent, context.thresholds
    if len(rows_of(question)) > 1 or names_code(question):
        return False
    if any(asks(candidate.pair, question) for candidate in candidates or ()):
        return False
    relevance = 0.5 if candidates is None else max(map(relevance_of, candidates), default=0.0)
    if _asks_about_something(question):
        return intent.is_other_task and relevance < _NOTHING_NEAR
    answers = relevance >= thresholds.relevance
    if answers and context.mentions and not context.goes_on:
        return False
    is_talk = intent.chit_chat > thresholds.alpha or not beyond_courtesy(question)
    return is_talk or (intent.is_other_task and not answers)


def _asks_about_something(question: str) -> bool:
    """Whether words ask, and neither of the assistant nor with a word of small talk or of other tasks.

    The classifier knows a few fields; everyday words of another one, as of law or cooking, are not chat.
    """
    plain = beyond_courtesy(question)
    asks = _ASKS.search(plain) is not None or bool(kinds_of(plain))
    return asks and _OF_THE_ASSISTANT.search(plain) is None and not names_talk(plain)
