"""The limits and the comparison of FAQ entries from any source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import HAN, normalise
from vta.types.answers import Turn
from vta.types.courses import Course, PairId
from vta.types.faq import FaqDraft
from vta.types.pairs import QAPair, Source

LONGEST_TEXT = 20_000
"""Characters of a question, an answer or a variant."""
MOST_VARIANTS = 200
"""Similar questions of one entry, and likewise negative ones."""
LONGEST_CATEGORY = 80
"""Characters of a category."""
_BLANK = re.compile(rf"(?<=[{HAN}]) | (?=[{HAN}])")


def clean_draft(draft: FaqDraft) -> FaqDraft:
    """The draft without white space around its texts and without blank or repeated variants.

    `InvalidInput` names the field that is empty, too long, or holds half a character.
    """
    return FaqDraft(
        question=_text(draft.question, "question", Fault("name.question")),
        answer=_text(draft.answer, "answer", Fault("name.answer")),
        similar_questions=_variants(draft.similar_questions, "similar_questions"),
        negative_questions=_variants(draft.negative_questions, "negative_questions"),
        category=clean_category(draft.category),
        state=draft.state,
    )


def clean_category(category: str) -> str:
    """The category on one line, with single blanks. `InvalidInput` where it is too long."""
    word = " ".join(category.split())
    if not word:
        return ""
    what = Fault("name.category")
    if len(word) > LONGEST_CATEGORY:
        raise InvalidInput(Fault("faq.too_long", what=what, most=LONGEST_CATEGORY), field="category")
    return _text(word, "category", what)


def comparison_key(question: str) -> str:
    """The form in which questions are compared: normalised, without final marks and blanks beside Chinese."""
    return _BLANK.sub("", normalise(question)).rstrip("?!.。 ")


def standalone_of(turn: Turn) -> str | None:
    """The stand-alone form of a follow-up; None for a first question and for one that stands alone."""
    alone = turn.answer.standalone_question
    if turn.number == 1 or not alone or comparison_key(alone) == comparison_key(turn.question):
        return None
    return alone


def asks(pair: QAPair, question: str) -> bool:
    """Whether this question is one of the wordings of an FAQ pair."""
    return pair.source is Source.FAQ and comparison_key(question) in wordings_of(pair)


def wordings_of(pair: QAPair) -> frozenset[str]:
    """The wordings of a pair as `comparison_key` compares them."""
    return frozenset(map(comparison_key, pair.wordings))


def is_no_answer_to(pair: QAPair, question: str) -> bool:
    """Whether this question is one of the pair's negative questions."""
    refused = pair.negative_questions
    return bool(refused) and comparison_key(question) in map(comparison_key, refused)


def with_wordings(draft: FaqDraft, wordings: Sequence[str]) -> FaqDraft:
    """The draft with the students' own wordings among its similar questions."""
    known = {comparison_key(each) for each in (draft.question, *draft.similar_questions)}
    new = {comparison_key(each): each for each in wordings if comparison_key(each) not in known}
    return replace(draft, similar_questions=(*draft.similar_questions, *new.values()))


def with_negatives(draft: FaqDraft, questions: Sequence[str]) -> FaqDraft:
    """The draft with these among its negative questions, and no longer among its wordings.

    `InvalidInput` where one of them is the draft's very question.
    """
    refused = {comparison_key(each): each for each in questions}
    if comparison_key(draft.question) in refused:
        raise InvalidInput(Fault("faq.own_question"), field="question")
    known = set(map(comparison_key, draft.negative_questions))
    new = tuple(each for key, each in refused.items() if key not in known)
    return replace(
        draft,
        similar_questions=tuple(
            each for each in draft.similar_questions if comparison_key(each) not in refused
        ),
        negative_questions=(*draft.negative_questions, *new),
    )


def faq_pair(draft: FaqDraft, pair_id: PairId, *, course: Course, document: str | None) -> QAPair:
    """The pair (q, a) of the paper's unified form that an entry is in the index."""
    return QAPair(
        id=pair_id,
        course_id=course.id,
        source=Source.FAQ,
        question=draft.question,
        answer=draft.answer,
        domains=course.domains,
        document=document,
        similar_questions=draft.similar_questions,
        negative_questions=draft.negative_questions,
    )


def _variants(given: Sequence[str], field: str) -> tuple[str, ...]:
    found = {normalise(each): each for each in given if normalise(each)}
    if len(found) > MOST_VARIANTS:
        raise InvalidInput(Fault("faq.too_many_variants", column=field, most=MOST_VARIANTS), field=field)
    return tuple(_text(each, field, Fault("name.variant", column=field)) for each in found.values())


def _text(text: str, field: str, what: Fault) -> str:
    if not normalise(text):
        raise InvalidInput(Fault("faq.empty", what=what), field=field)
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(Fault("faq.too_long", what=what, most=LONGEST_TEXT), field=field)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidInput(Fault("faq.no_text", what=what), field=field)
    return text.strip()
