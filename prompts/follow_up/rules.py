"""The rewriter: conservative rules that carry the last subject into a question that leaves it out."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.follow_up import chinese, english
from prompts.follow_up.operations import Operation, find_operation, find_scope, named_for_help, skip_back
from prompts.follow_up.ordinals import name_ordinal
from prompts.follow_up.organisation import is_about_organisation
from prompts.follow_up.subject import (
    Subject,
    after_base,
    answered_turns,
    carry,
    course_turns,
    is_attribute,
    join,
    last_subject,
)
from vta.text import detect_language, normalise
from vta.types import FollowUp, Language, Mention, PastTurn, Route, Scope

_LONGEST_FOLLOW_UP = 120
_LONGEST_CARRIED = 60
_ASKED_OF_NAMES = {
    Language.ZH: {
        Operation.EXAMPLE: "举例说明{}",
        Operation.CODE: "{}的代码",
        Operation.FORMULA: "{}的公式",
    },
    Language.EN: {
        Operation.EXAMPLE: "Give an example of {}",
        Operation.CODE: "Show the code of {}",
        Operation.FORMULA: "What is the formula of {}?",
    },
}


_EXPLAINED = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}


class RuleFollowUp:
    """Resolves operations ("why?", "短一点"), pronouns ("it", "它") and ellipsis ("队列呢")."""

    def rewrite(self, question: str, *, history: Sequence[PastTurn], mentions: Sequence[Mention]) -> str:
        """The stand-alone question; the question itself where no rule is sure that it is a follow-up.

        The subject is that of the last turn that was neither small talk nor refused: its concepts, else the
        topic of its question, else its whole question. Questions over 120 characters stand alone.
        """
        return self.read(question, history=history, mentions=mentions).question

    def read(self, question: str, *, history: Sequence[PastTurn], mentions: Sequence[Mention]) -> FollowUp:
        """The same with the operation that the question is; its subject is that of the last answered turn.

        A call for help that names one thing asks simply for that, whatever was said before.
        """
        text, turns = question.strip(), course_turns(history)
        if not text or len(text) > _LONGEST_FOLLOW_UP:
            return FollowUp(question=question)
        left = skip_back(text)
        if left is not None and len(turns) > 1:
            turns, text = turns[:-1], left or "more"
        language = detect_language(text, Language.ZH)
        if named := named_for_help(text, [m.surface for m in mentions], language):
            names = dict.fromkeys(m.concept.name for m in mentions) or named
            form = _EXPLAINED[language].format(join(tuple(names), language))
            return FollowUp(question=form, wish=Operation.SIMPLER.wish, names=True)
        mentioned = tuple(m.surface for m in mentions if not is_attribute(m.surface))
        scope = find_scope(text, language)
        operation = None if mentioned else find_operation(text, language)
        answered, subject = last_subject(answered_turns(turns)), last_subject(turns)
        if operation is not None and answered is not None:
            form = _operate(operation, text, answered, language)
            return FollowUp(question=form, wish=operation.wish, scope=scope)
        if operation is not None or scope is not None or subject is None:
            return FollowUp(question=question, scope=scope or (Scope.MOMENT if operation else None))
        if (item := name_ordinal(text, turns[-1].answer)) is not None:
            return FollowUp(question=item)
        rewrite = chinese.rewrite if language is Language.ZH else english.rewrite
        for form in (text, normalise(text)):
            if standalone := rewrite(form, subject, mentioned):
                return FollowUp(question=standalone)
        was_answered = turns[-1].route is not Route.UNANSWERED
        may_carry = was_answered and not mentioned and not is_about_organisation(text)
        may_carry = may_carry and len(text) <= _LONGEST_CARRIED
        subjects = (last_subject(turns[:n]) for n in range(len(turns), 0, -1))
        topic = next((each for each in subjects if each is not None and each.names), subject)
        put_before = after_base if english.asks_of_another(text) else carry
        return FollowUp(question=question, carried=put_before(text, topic, language) if may_carry else None)


def _operate(operation: Operation, text: str, subject: Subject, language: Language) -> str:
    """The stand-alone form of an operation: the last question with it, or what it asks of the subject."""
    form = _ASKED_OF_NAMES[language].get(operation)
    if form is not None and subject.names:
        return form.format(join(subject.names, language))
    if operation is Operation.WHY or form is not None:
        return after_base(text, subject, language) or text
    return subject.base
