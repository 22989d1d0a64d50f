"""The four primers: temperament, knowledge, legality and role. Every system message starts with them."""

from __future__ import annotations

from prompts.render import Rendered, render
from vta.types import Language

PRIMERS = ("temperament", "knowledge", "legality", "role")


def render_primers(language: Language) -> Rendered:
    """The four primers as one text, in their fixed order."""
    refusal = Rendered(refusal_sentence(language))
    return Rendered("\n\n".join(render(f"primers/{name}.{language}.j2", refusal=refusal) for name in PRIMERS))


def refusal_sentence(language: Language) -> str:
    """The one fixed sentence that says the given knowledge holds no answer."""
    return str(render(f"primers/refusal.{language}.j2"))
