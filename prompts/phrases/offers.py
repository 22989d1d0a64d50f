"""The words of the offers under an answer."""

from __future__ import annotations

from prompts.phrases import TEXTS
from vta.types import Language, Offer


class OfferPhrases:
    """`vta.ports.OfferPhrases`."""

    def offer(self, name: str, language: Language) -> Offer:
        texts = TEXTS[language]
        return Offer(label=texts[name], question=texts[f"{name}_asks"])

    def again(self, question: str, language: Language) -> Offer:
        return Offer(label=TEXTS[language]["ask_again"], question=question)
