"""The fixed sentences of the assistant, in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from prompts.markdown import escape_markdown
from vta.types import Language, Offer

_UNANSWERED = {
    Language.ZH: (
        "课程资料里没有找到能回答这个问题的内容，所以我不想乱猜。"
        "你可以换一种说法再问一次，或者请真人助教来回答。"
    ),
    Language.EN: (
        "I found nothing in the course material that answers this, so I would rather not guess. "
        "Try asking it in other words, or ask a real TA."
    ),
}
_CLOSEST = {
    Language.ZH: "课程里与它最接近的内容，不一定能回答它：{titles}",
    Language.EN: "What comes closest in the course, though it may not answer this: {titles}",
}
_SEE_ALSO = {
    Language.ZH: "课程里讲到这里的地方：{markers}",
    Language.EN: "Where the course covers this: {markers}",
}
_UNSUPPORTED = {
    Language.ZH: "*（课程资料里没有找到依据）*",
    Language.EN: "*(not found in the course material)*",
}
_BROKEN_OFF = {
    Language.ZH: "*（语言模型的回答在这里中断，以上内容不完整。）*\n\n---\n\n## 不用语言模型的回答",
    Language.EN: (
        "*(The language model broke off here, so what stands above is incomplete.)*\n\n---\n\n"
        "## Answer without the language model"
    ),
}
_OWN_WORDS = {Language.ZH: "**课程原文**", Language.EN: "**In the course's words**"}
_CONFLICT = {
    Language.ZH: (
        "常见问题和课程资料在这里说法不一致，两处都列出来，请向老师或助教确认。\n\n"
        "**常见问题**\n\n{faq}\n\n**课程资料**\n\n{material}"
    ),
    Language.EN: (
        "The FAQ and the course material disagree here, so both are shown; please ask a teacher or a TA "
        "which one holds.\n\n**FAQ**\n\n{faq}\n\n**Course material**\n\n{material}"
    ),
}


def unanswered(language: Language, *, own: str | None = None) -> str:
    """Nothing in the course supports an answer; a real TA can be asked.

    `own` is a course's sentence, as plain text, in the place of the usual one.
    """
    return _UNANSWERED[language] if own is None else escape_markdown(own)


def closest(language: Language, titles: Mapping[int, str]) -> str:
    """Names what comes closest to an answer that was not found: titles by their [n]."""
    return _CLOSEST[language].replace("{titles}", _titles(language, titles))


def see_also(language: Language, numbers: Sequence[int]) -> str:
    """Points to further citations as [n] markers."""
    return _SEE_ALSO[language].replace("{markers}", _markers(numbers))


def unsupported(language: Language) -> str:
    """Markdown that stands behind a sentence which the given knowledge does not support."""
    return _UNSUPPORTED[language]


def broken_off(language: Language) -> str:
    """Markdown between the beginning of a language model's answer, which broke off, and another answer.

    It says that what stands above is incomplete, and ends with a heading for what stands below.
    """
    return _BROKEN_OFF[language]


def own_words(language: Language) -> str:
    """Markdown between a language model's explanation and the course's own words below it."""
    return _OWN_WORDS[language]


def conflict(language: Language, *, faq: str, material: str) -> str:
    """Markdown that shows two sayings which disagree, one of the FAQ and one of the material."""
    before, between, after = re.split(r"\{faq\}|\{material\}", _CONFLICT[language])
    return f"{before}{quote(faq)}{between}{quote(material)}{after}"


def quote(text: str) -> str:
    """The text as a Markdown block quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _markers(numbers: Sequence[int]) -> str:
    return " ".join(f"[{number}]" for number in numbers)


def _titles(language: Language, titles: Mapping[int, str]) -> str:
    comma = {Language.ZH: "、", Language.EN: ", "}[language]
    return comma.join(f"{escape_markdown(title)} [{n}]" for n, title in titles.items())


_OFFERS = {
    Language.ZH: {
        "why": ("为什么？", "为什么？"),
        "example": ("举个例子", "举个例子"),
        "code": ("看代码", "代码怎么写？"),
        "formula": ("看公式", "公式是什么？"),
        "simpler": ("再简单点", "再简单点"),
        "shorter": ("再短一点", "再短一点"),
        "where": ("在哪一讲？", "在视频的哪里？"),
    },
    Language.EN: {
        "why": ("Why?", "Why?"),
        "example": ("Example", "Give me an example"),
        "code": ("Code", "Show me the code"),
        "formula": ("Formula", "What is the formula?"),
        "simpler": ("Simpler", "Simpler, please"),
        "shorter": ("Shorter", "Shorter, please"),
        "where": ("In the lecture", "Where is that in the lecture?"),
    },
}
_AGAIN = {Language.ZH: "再问一次", Language.EN: "Ask again"}
OPERATIONS = tuple(_OFFERS[Language.EN])


def offer(name: str, language: Language) -> Offer:
    """An operation on the answer by its name (why, example, code, formula, simpler, shorter, where)."""
    label, question = _OFFERS[language][name]
    return Offer(label=label, question=question)


def ask_again(question: str, language: Language) -> Offer:
    """The same question once more."""
    return Offer(label=_AGAIN[language], question=question)
