"""The words of the offers under an answer."""

from __future__ import annotations

from vta.types import Language, Offer

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


class OfferPhrases:
    """`vta.ports.OfferPhrases`."""

    def offer(self, name: str, language: Language) -> Offer:
        label, question = _OFFERS[language][name]
        return Offer(label=label, question=question)

    def again(self, question: str, language: Language) -> Offer:
        return Offer(label=_AGAIN[language], question=question)
