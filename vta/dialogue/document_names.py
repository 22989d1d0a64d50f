"""What a model calls the documents of its prompt ("document 2").

It is wrong for a student, whose sources are numbered in the order in which the answer cites them.
"""

from __future__ import annotations

import re

from vta.dialogue.grounding import PROTECTED
from vta.text import HAN

_TAG = r"<?\bdocument\s+n\s*=\s*[\"“”]?\d{1,2}[\"”]?(?:\s*/?>)?"
_NUMBERS = r"\[?\d{1,2}\]?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)\[?\d{1,2}\]?)*"
_NAME = rf"(?:the\s+)?(?:{_TAG}|\bdocuments?\s+{_NUMBERS}|(?:first|second|third|fourth|fifth)\s+document\b)"
_PART = r"(?:the\s+information\s+(?:provided\s+)?in\s+)?"
_TOLD = r"(?:described|explained|found|given|indicated|mentioned|noted|provided|reported|shown|stated)"

_NAMED = re.compile(
    rf"{PROTECTED}"
    rf"|(?P<opening>(?:^|(?<=[.!?]\s))(?:according\s+to|based\s+on)\s+{_PART}{_NAME},\s+(?P<next>\w))"
    rf"|(?P<aside>(?<![.!?:])(?:,|(?<!\s))\s+(?:as\s+{_TOLD}\s+in|according\s+to)\s+{_PART}{_NAME}"
    rf"|根据(?:{_TAG}|文档\s*(?:\[?\d{{1,2}}\]?)?)[，,]\s*)"
    rf"|(?P<place>(?P<told>\b{_TOLD}\s+in\s+){_NAME})"
    rf"|(?P<tag>(?:the\s+)?(?:document\s+)?{_TAG})(?P<han>(?=\s*[{HAN}]))?",
    re.MULTILINE | re.IGNORECASE,
)


def without_document_names(text: str) -> str:
    """A model's text without the numbers of its documents; code and mathematics stay as they are."""
    return _NAMED.sub(_renamed, text)


def _renamed(match: re.Match[str]) -> str:
    if match["opening"]:
        return match["next"].upper()
    if match["aside"]:
        return ""
    if match["place"]:
        return f"{match['told']}the course material"
    if match["tag"]:
        if match["han"] is not None:
            return "课程资料"
        return f"{'The' if match['tag'].startswith('The') else 'the'} course material"
    return match.group()
