"""Templates are files with a version; text of users and courses enters them only as escaped variables.

Whatever a template prints with `{{ }}` is passed through `escape_markup`, unless it is `Rendered` already.
So a template cannot forget to escape, and no text from outside can end a `<document>`, open a role or forge
a heading of the prompt.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.places import format_time
from vta.types.language_model import ChatMessage
from vta.types.pairs import Candidate, QAPair

_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_FILLER = re.compile(
    "[\u034f\u115f\u1160\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_OPENING = re.compile(r"[<＜﹤](?=\s*[/／]?\s*([^\s<>＜＞﹤﹥]{1,40}))")
_RESERVED = re.compile(
    r"document|\||\w+\|$|sys$|(?:system|user|assistant|developer|(?:start|end)_of_turn|tool_\w+|think|channel|"
    r"turn|extra_id_\d+|special_\d+|reserved_\d+|seed:\w+|s|[be]os|eo[hap]|sop)\b"
)
"""What a tag may begin with in a prompt or in the template of a chat model, in NFKC and lower case."""
_BRACKET_ROLE = re.compile(
    r"[\[［](?=\s*[/／]?\s*(?:INST|SYS|SYSTEM(?:_PROMPT)?|USER|ASSISTANT|AVAILABLE_TOOLS|TOOL_\w+)\s*[\]］])",
    re.IGNORECASE,
)
_LINE_ROLE = re.compile(
    r"^(?=[ \t>]*(?:[#＃]{2,}|(?:system|user|assistant|human|developer|系统|用户|助手)[ \t]*[:：]))",
    re.IGNORECASE | re.MULTILINE,
)


class Rendered(str):
    """Text that was made by our own templates, with everything foreign in it escaped already."""

    __slots__ = ()


def escape_markup(text: str) -> str:
    """The text with everything escaped that could be read as markup of the prompt itself.

    Escaped are the tags and tokens that prompts are made of (`</document>`, `<|im_start|>`, `[INST]`), role
    labels and headings (`system:`, `###`) at the start of a line; invisible format characters and control
    characters are removed. Other tags (`List<T>`, `<div>`) stay. Applying it twice changes nothing more.
    """
    text = "".join(c for c in _LINE_BREAK.sub("\n", text) if _is_visible(c))
    text = _OPENING.sub(_escaped, text)
    text = _BRACKET_ROLE.sub("&#91;", text)
    return _LINE_ROLE.sub(r"\\", text)


def _escaped(opening: re.Match[str]) -> str:
    name = unicodedata.normalize("NFKC", opening[1]).casefold().lstrip("/")
    return "&lt;" if _RESERVED.match(name) else opening[0]


def quote_data(text: str, n: int) -> Rendered:
    """Retrieved text as the n-th document of a prompt, between delimiters that it cannot forge."""
    return Rendered(f'<document n="{n}">\n{escape_markup(text).strip()}\n</document>')


def render(template: str, package: str = "prompts", /, **fields: object) -> Rendered:
    """A template of the package filled in. A missing field or template is an error, never an empty string."""
    return Rendered(_environment(package).get_template(template).render(**fields).strip())


@cache
def _environment(package: str) -> SandboxedEnvironment:
    # HTML escaping is off because the output is not HTML: `finalize` escapes for prompts instead.
    environment = SandboxedEnvironment(
        loader=PackageLoader(package, ""),
        undefined=StrictUndefined,
        autoescape=False,
        finalize=_escape_printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["line"] = _one_line
    environment.filters["join"] = _join
    return environment


@cache
def version() -> str:
    """The hash of all files of prompts, 12 hex digits: another one where any wording has changed."""
    digest = sha256()
    for path, content in sorted(_read_all(files("prompts"))):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]


def _read_all(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        here = f"{path}/{each.name}"
        if each.is_dir():
            yield from _read_all(each, here)
        elif each.name.endswith((".j2", ".md", ".toml")):
            yield here, each.read_bytes()


def _escape_printed(value: object) -> object:
    if isinstance(value, Rendered | StrictUndefined):
        return value
    return escape_markup(str(value))


def _is_visible(character: str) -> bool:
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs") and not _FILLER.match(character)


def _join(values: Iterable[object], separator: str) -> Rendered:
    return Rendered(separator.join(str(_escape_printed(value)) for value in values))


def _one_line(text: str) -> str:
    return text if isinstance(text, Rendered) else " ".join(text.split())


def quote_candidates(candidates: Sequence[Candidate]) -> dict[int, Rendered]:
    """The candidates as documents by number, their place first."""
    return {
        n: quote_data(f"{_place(candidate.pair)}\n{candidate.pair.answer}", n)
        for n, candidate in enumerate(candidates, start=1)
    }


def _place(pair: QAPair) -> str:
    """All headings that a passage stands under, else its question, with its moment or page."""
    at = pair.locator
    where = format_time(at.start_s) if at.start_s is not None else f"p. {at.page}" if at.page else ""
    title = " > ".join(at.heading_path) or pair.question
    return f"{title} ({where})" if where else title


def escape_history(history: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Earlier messages, unable to forge a role. Only the student and the assistant speak in them."""
    for message in history:
        if message.role not in ("user", "assistant"):
            raise InvalidInput(Fault("prompt.history_role", role=message.role), field="history")
    return tuple(ChatMessage(role=m.role, content=escape_markup(m.content)) for m in history)
