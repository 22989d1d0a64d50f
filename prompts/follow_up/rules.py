"""The rewriter: conservative rules that carry the last subject into a question that leaves it out."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.follow_up import chinese, english
from prompts.follow_up.subject import is_attribute, last_subject
from vta.text import detect_language, normalise
from vta.types import Language, Mention, PastTurn

_LONGEST_FOLLOW_UP = 120


class RuleFollowUp:
    """Resolves pronouns ("it", "它"), ellipsis ("what about recall?", "那队列呢？") and bare "why?"."""

    def rewrite(self, question: str, *, history: Sequence[PastTurn], mentions: Sequence[Mention]) -> str:
        """The stand-alone question; the question itself where no rule is sure that it is a follow-up.

        The subject is that of the last turn that was neither small talk nor refused: its concepts, else the
        topic of its question, else its whole question. Questions over 120 characters stand alone.
        """
        text = question.strip()
        subject = last_subject(history)
        if subject is None or not text or len(text) > _LONGEST_FOLLOW_UP:
            return question
        mentioned = tuple(m.surface for m in mentions if not is_attribute(m.surface))
        is_chinese = detect_language(text, Language.ZH) is Language.ZH
        rewrite = chinese.rewrite if is_chinese else english.rewrite
        for form in (text, normalise(text)):
            if standalone := rewrite(form, subject, mentioned):
                return standalone
        return question
