"""The passages of a transcript that share most with a question: what is shown where no model can answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from vta.text import Analyser
from vta.transcripts.chunking import Line
from vta.transcripts.quotes import Quote


def best_passages(
    lines: Sequence[Line], question: str, *, analyser: Analyser, top: int = 3
) -> tuple[Quote, ...]:
    """At most `top` lines that share rare words with the question, best first, ties in order."""
    wanted = set(_tokens(question, analyser, analyser.content_words(question)))
    found = [wanted & set(_tokens(line.text, analyser, analyser.words(line.text))) for line in lines]
    frequencies = Counter(token for tokens in found for token in tokens)
    scores = [sum(math.log(1 + len(lines) / frequencies[token]) for token in tokens) for tokens in found]
    best = sorted((n for n, score in enumerate(scores) if score), key=lambda n: -scores[n])[:top]
    return tuple(Quote(text=lines[n].text, start=lines[n].start_s, video=lines[n].video) for n in best)


def _tokens(text: str, analyser: Analyser, words: Sequence[str]) -> list[str]:
    return [*words, *(gram for gram in analyser.grams(text) if len(gram) > 1)]
