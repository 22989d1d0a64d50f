"""What of a question may be sent out: its content words, and nothing that is plainly personal."""

from __future__ import annotations

import re

from vta.text import Analyser, normalise, stem

MOST_WORDS = 16

_PERSONAL = re.compile(
    r"[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,255}"  # e-mail addresses
    r"|(?:https?://|www\.)[!-~]+"
    r"|\+?\d(?:[ .()-]{0,3}\d){4,}",  # phone, card and student numbers
    re.IGNORECASE,
)
_LATIN = re.compile(r"[a-z0-9]+(?:\+\+|#)?")


def outgoing_words(question: str, analyser: Analyser) -> str:
    """The content words of a question in order, at most `MOST_WORDS`; empty where none is left.

    Left out are function words, question templates, punctuation (and with it every operator of a search
    engine), e-mail addresses, links and numbers of five digits or more. A name is a content word and stays.
    """
    plain = _PERSONAL.sub(" ", normalise(question))
    surfaces = {stem(word): word for word in reversed(_LATIN.findall(plain))}
    words = list(dict.fromkeys(analyser.content_words(plain)))
    kept = [surfaces.get(word, word) for word in words if not _inside_another(word, words)]
    return " ".join(kept[:MOST_WORDS])


def _inside_another(word: str, words: list[str]) -> bool:
    """Whether a Chinese word is part of a longer one, since both come out of the analyser."""
    return not word.isascii() and any(word != other and word in other for other in words)
