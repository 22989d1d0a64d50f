"""The four primers: temperament, knowledge, legality and role. A system message starts with them."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.render import Rendered, render
from vta.languages import Language

PRIMERS = ("temperament", "knowledge", "legality", "role")
TALK_PRIMERS = ("temperament", "legality", "role")
"""Those of small talk, which needs no knowledge and is never refused for want of it."""


def render_primers(language: Language, *, primers: Sequence[str] = PRIMERS) -> Rendered:
    """The primers as one text, in their order."""
    refusal = Rendered(refusal_sentence(language))
    return Rendered("\n\n".join(render(f"primers/{name}.{language}.j2", refusal=refusal) for name in primers))


def refusal_sentence(language: Language) -> str:
    """The one fixed sentence that says the given knowledge holds no answer."""
    return str(render(f"primers/refusal.{language}.j2"))
