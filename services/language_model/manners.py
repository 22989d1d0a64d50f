"""Parts of a request that a server refuses: left out or renamed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from openai import APIStatusError

Body = dict[str, Any]

SYSTEM: Final = "system"
REFUSED_STATUS: Final = (400, 422)
_FORM: Final = "response_format"
_PARAMETERS: Final = ("max_tokens", "temperature", "stream_options", _FORM)
_FORM_REFUSED: Final = (*REFUSED_STATUS, 500)
"""llama-cpp-python's server answers 500 to a form that it does not know."""
_SYSTEM_REFUSED: Final = re.compile(
    r"\bsystem\W+(?:role|message|prompt|instruction)|\brole\W+system"
    r"|developer instruction|roles must alternate",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[a-z][a-z0-9_.]{0,39}")


def refused_parameter(error: APIStatusError, body: Body) -> str | None:
    """The part of this request that the server refuses; None where it refuses all of it.

    A refusal without a name is taken as one of the form of the reply, where the request has one.
    """
    if error.status_code in REFUSED_STATUS:
        sent = [name for name in _PARAMETERS if name in body]
        if error.param in sent:
            return error.param
        for name in sent:
            if re.search(rf"(?<!\w){name}\b", error.message):
                return name
        has_system = any(each["role"] == SYSTEM for each in body["messages"])
        if has_system and _SYSTEM_REFUSED.search(error.message):
            return SYSTEM
    return _FORM if _FORM in body and error.status_code in _FORM_REFUSED else None


def adapted(body: Body, refused: frozenset[str]) -> Body:
    """The request without what is refused."""
    most = {"max_completion_tokens": body["max_tokens"]} if "max_tokens" in refused else {}
    body = {name: value for name, value in body.items() if name not in refused} | most
    if SYSTEM in refused:
        body["messages"] = _without_system(body["messages"])
    return body


def _without_system(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The system's text before the first words of the user, and one message where a role speaks twice."""
    system = [each["content"] for each in messages if each["role"] == SYSTEM]
    turns: list[Mapping[str, str]] = [{"role": "user", "content": text} for text in system]
    turns += [each for each in messages if each["role"] != SYSTEM]
    merged: list[Mapping[str, str]] = []
    for each in turns:
        if merged and merged[-1]["role"] == each["role"]:
            before = merged.pop()["content"]
            merged.append({**each, "content": f"{before}\n\n{each['content']}"})
        else:
            merged.append(each)
    return merged


def named_in(error: APIStatusError) -> str:
    """The parameter and the code that the server names, where they are names and nothing longer."""
    named = (("param", error.param), ("code", error.code))
    return "".join(f", {key} {value}" for key, value in named if value and _NAME.fullmatch(str(value)))
