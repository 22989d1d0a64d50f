"""What a course mentions where it teaches a thing: under the headings that name it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from concept_graph.prerequisites.counts import Matrix
from concept_graph.prerequisites.occurrences import Forms, Occurrences, TokenText, find, tokens


def under_headings(text: TokenText, found: Sequence[Occurrences], names: Sequence[Forms]) -> Matrix:
    """[a, b]: the share of the passages right under a heading with name b that mention a; 0 for no heading.

    `found` are the occurrences of the names in the text. A passage without headings stands under its title.
    """
    headings = tuple((pair.locator.heading_path or (pair.question,))[-1] for pair in text.passages)
    above = TokenText(
        passages=tuple(
            replace(pair, answer=each) for pair, each in zip(text.passages, headings, strict=True)
        ),
        tokens=tuple(map(tokens, headings)),
        documents=text.documents,
    )
    mentioning: dict[int, list[int]] = {}
    for name, occurrences in enumerate(found):
        for passage in np.unique(occurrences.passages).tolist():
            mentioning.setdefault(passage, []).append(name)
    share = np.zeros((len(found), len(found)))
    for name, occurrences in enumerate(find(above, names)):
        taught = np.unique(occurrences.passages).tolist()
        for passage in taught:
            share[mentioning.get(passage, []), name] += 1 / len(taught)
    return share
