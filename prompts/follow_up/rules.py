"""What a later question wants: an operation on the last answer, an item of it, or more on its subject."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.follow_up.operations import Operation, find_operation, find_scope, named_for_help
from prompts.follow_up.ordinals import name_ordinal
from vta.dialogue.going_on import head_of
from vta.text import detect_language
from vta.types import FollowUp, Language, Mention, PastTurn, Route, Scope

_OF_THE_SAME = frozenset({Operation.SHORTER, Operation.SIMPLER, Operation.MORE, Operation.WHERE})
_NOT_OF_COURSE = (Route.CHIT_CHAT, Route.REFUSED)
_EXPLAINED = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}
_AND = {Language.ZH: "和", Language.EN: " and "}


class RuleFollowUp:
    """Recognises operations ("why?", "短一点") and items of a list ("the second one")."""

    def read(self, question: str, *, history: Sequence[PastTurn], mentions: Sequence[Mention]) -> FollowUp:
        """The question as it is, but for an operation, which is asked of the last answered question, and an
        item, which is named. Anything else that comes later carries the question that opened the subject.

        A call for help that names one thing asks simply for that, whatever was said before.
        """
        text, turns = question.strip(), [each for each in history if each.route not in _NOT_OF_COURSE]
        language = detect_language(text, Language.ZH)
        if named := named_for_help(text, [m.surface for m in mentions], language):
            names = dict.fromkeys(m.concept.name for m in mentions) or named
            form = _EXPLAINED[language].format(_AND[language].join(names))
            return FollowUp(question=form, wish=Operation.SIMPLER.wish, names=True)
        scope = find_scope(text, language)
        operation = None if mentions else find_operation(text, language)
        answered = [turn for turn in turns if turn.route is not Route.UNANSWERED] or turns
        if operation is not None and answered:
            own = [turn for turn in answered if find_operation(turn.question, language) is None] or answered
            form = f"{own[-1].standalone_question} {text}"
            if operation in _OF_THE_SAME:
                form = answered[-1].standalone_question
            return FollowUp(question=form, wish=operation.wish, scope=scope)
        if operation is not None or scope is not None or not turns:
            return FollowUp(question=question, scope=scope or (Scope.MOMENT if operation else None))
        if (item := name_ordinal(text, turns[-1].answer)) is not None:
            return FollowUp(question=item)
        return FollowUp(question=question, carried=f"{head_of(turns[-1])} {text}")
