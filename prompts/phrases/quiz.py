"""What is said around an exercise, in both languages. [1] stands for its source."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.phrases import quote
from vta.types import Language

_POSED = {
    Language.ZH: "**请你来答**",
    Language.EN: "**Your turn**",
}
_POSE = {
    Language.ZH: "{mark} [1]\n\n{question}\n\n直接写下你的答案就行；也可以说“看答案”“下一题”。",
    Language.EN: '{mark} [1]\n\n{question}\n\nWrite your answer, or say "show me" or "next".',
}
_COMPARED = {
    Language.ZH: "参考答案是 [1]：\n\n{reference}\n\n{found}\n\n对不对请自己对照判断。可以说“下一题”。",
    Language.EN: (
        "The reference says [1]:\n\n{reference}\n\n{found}\n\n"
        'Judge for yourself whether it comes to the same. Say "next" for another one.'
    ),
}
_HELD = {Language.ZH: "你的答案里有：{terms}。", Language.EN: "Yours holds: {terms}."}
_LACKING = {Language.ZH: "没有看到：{terms}。", Language.EN: "I do not see in yours: {terms}."}
_ALL = {
    Language.ZH: "其中的数字和关键词你的答案里都有：{terms}。",
    Language.EN: "Yours holds all of its numbers and key terms: {terms}.",
}
_REFERENCE = {
    Language.ZH: "参考答案是 [1]：\n\n{reference}\n\n可以说“下一题”。",
    Language.EN: 'The reference says [1]:\n\n{reference}\n\nSay "next" for another one.',
}
_NO_REFERENCE = {
    Language.ZH: "课程资料没有给出这道题的答案，所以我不能替你对照。{where}可以说“下一题”。",
    Language.EN: (
        'The course material gives no answer to it, so I cannot compare. {where}Say "next" for another one.'
    ),
}
_WHERE = {
    Language.ZH: "相关的内容在这里：[1]。",
    Language.EN: "What the course says about it: [1]. ",
}
_NONE = {
    Language.ZH: "课程里没有找到{topic}练习题。",
    Language.EN: "I found no exercise{topic} in the course.",
}
_NO_MORE = {
    Language.ZH: "课程里的{topic}练习题都出过了。",
    Language.EN: "You have had all of the course's exercises{topic}.",
}
_STOPPED = {
    Language.ZH: "好的，练习先到这里。有问题随时问我。",
    Language.EN: "All right, that is it for now. Ask me anything about the course.",
}
_STANDS = {
    Language.ZH: "课程讲到这个问题的地方有 {number} 这个数 [1]。请对照那里的步骤，看看它是怎么来的。",
    Language.EN: "{number} stands where the course deals with this [1]. Check there how it comes about.",
}
_STANDS_NOT = {
    Language.ZH: (
        "课程讲到这个问题的地方没有 {number} 这个数 [1]，所以我不能说它对不对。请对照那里的步骤再算一次。"
    ),
    Language.EN: (
        "{number} does not stand where the course deals with this [1], so I cannot say whether it is right. "
        "Go through the steps there once more."
    ),
}


_BEGINNINGS = tuple(
    phrase.replace("{mark}", _POSED[language]).partition("{")[0].partition(" [1]")[0]
    for phrases in (_POSE, _COMPARED, _REFERENCE, _NO_REFERENCE)
    for language, phrase in phrases.items()
)
"""How the answers begin after which a quiz goes on."""


def is_posed(answer: str) -> bool:
    """Whether an answer is one that `pose` made."""
    return answer.startswith(tuple(_POSED.values()))


def is_of_quiz(answer: str) -> bool:
    """Whether an answer poses an exercise or is about one, so that "next" asks for another."""
    return answer.startswith(_BEGINNINGS)


def pose(language: Language, question: str) -> str:
    return _fill(_POSE[language], mark=_POSED[language], question=quote(question))


def reference(language: Language, reference: str) -> str:
    """The answer that the material gives."""
    return _fill(_REFERENCE[language], reference=quote(reference))


def compared(language: Language, reference: str, *, held: Sequence[str], lacking: Sequence[str]) -> str:
    """That answer, and which of its numbers and key terms a try holds; no verdict."""
    between = "、" if language is Language.ZH else ", "
    if held and not lacking:
        found = _fill(_ALL[language], terms=between.join(held))
    else:
        parts = [
            _fill(phrase[language], terms=between.join(terms))
            for phrase, terms in ((_HELD, held), (_LACKING, lacking))
            if terms
        ]
        found = (" " if language is Language.EN else "").join(parts)
    return _fill(_COMPARED[language], found=found, reference=quote(reference))


def no_reference(language: Language, has_source: bool) -> str:
    """The material gives no answer; with a source, it is where the course deals with it."""
    return _fill(_NO_REFERENCE[language], where=_WHERE[language] if has_source else "")


def no_exercise(language: Language, *, topic: str, had_some: bool) -> str:
    """There is none about the topic (of any, where it is empty), or none that was not had."""
    named = (f"关于{topic}的" if language is Language.ZH else f" about {topic}") if topic else ""
    return _fill((_NO_MORE if had_some else _NONE)[language], topic=named)


def stopped(language: Language) -> str:
    return _STOPPED[language]


def tried(language: Language, number: str, *, stands: bool) -> str:
    """Whether a number that was tried stands where the course deals with the question."""
    return _fill((_STANDS if stands else _STANDS_NOT)[language], number=number)


def _fill(template: str, **values: str) -> str:
    """The template with each {name} replaced once; braces of the values stay."""
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    return template
