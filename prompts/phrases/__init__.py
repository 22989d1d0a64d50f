"""The fixed sentences of the assistant, in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from prompts.markdown import escape_markdown
from prompts.primers import refusal_sentence
from vta.types import Language

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


class FixedPhrases:
    """`vta.ports.Phrases`."""

    def unanswered(self, language: Language, *, own: str | None = None) -> str:
        return _UNANSWERED[language] if own is None else escape_markdown(own)

    def closest(self, language: Language, titles: Mapping[int, str]) -> str:
        return _CLOSEST[language].replace("{titles}", _titles(language, titles))

    def refusal(self, language: Language) -> str:
        return refusal_sentence(language)

    def see_also(self, language: Language, numbers: Sequence[int]) -> str:
        return _SEE_ALSO[language].replace("{markers}", _markers(numbers))

    def unsupported(self, language: Language) -> str:
        return _UNSUPPORTED[language]

    def broken_off(self, language: Language) -> str:
        return _BROKEN_OFF[language]

    def own_words(self, language: Language) -> str:
        return _OWN_WORDS[language]

    def conflict(self, language: Language, *, faq: str, material: str) -> str:
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
