"""Messages to a language model, its replies and their cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vta.languages import Language
from vta.types.concepts import Concept
from vta.types.courses import CourseId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message to a language model; `role` is system, user or assistant."""

    role: str
    content: str


JsonSchema = Mapping[str, object]
"""A JSON Schema of an object: every property required, no others allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The reply of a language model, and its tokens."""

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """The tokens of calls to one language model, for a course or for none.

    `uncounted` of the `calls` came without a count of tokens: the server gave none, or the answer broke off.
    """

    course_id: CourseId | None
    model: str
    calls: int = 1
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TeachStep:
    """A concept k_i of Algorithm 1 with its definition, domains, and defined prerequisites."""

    concept: Concept
    prerequisites: tuple[Concept, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedExample:
    """An expert's worked answer of the Chain of Teach library S_cot."""

    id: str
    language: Language
    kind: str
    subject: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeachPrompt:
    """The prompt f = e + r + q of Algorithm 1, with its parts.

    `messages` is what a language model is sent; `prompt` is the same as one text. `tokens` is an estimate of
    their length, and `dropped` names the pieces that were left out to keep to the budget.
    """

    steps: tuple[TeachStep, ...]
    reasoning: str
    examples: tuple[WorkedExample, ...]
    prompt: str
    messages: tuple[ChatMessage, ...]
    tokens: int = 0
    dropped: tuple[str, ...] = ()
