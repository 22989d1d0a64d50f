"""Markdown of the tools of books and sites, turned into plain Markdown.

Known are Sphinx and MyST, d2l, Jekyll and Hugo, GitBook and mdBook, MkDocs, VuePress and Docusaurus, Quarto,
bookdown, Pandoc and The Carpentries. Code and mathematics stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from knowledge.sources.inline_marks import formula, link_targets, without_marks
from knowledge.sources.note_marks import END_OF_SECTION, section
from knowledge.sources.text import as_item, is_glyph

_FENCE = re.compile(
    r"^(?P<indent>[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(?P<ticks>`{3,}|~{3,})(?P<info>[^`\n]*|\{\w.*\}[ \t]*)$"
)
_BRACED = re.compile(r"\{(?P<name>[\w:-]+)\}[ \t]*(?P<rest>.*)")
_QUOTE = re.compile(r"^(?P<before> {0,3}|[ \t]+|[ \t]*(?:[-*+]|\d+[.)])[ \t]+)>(?!\}\})[ \t]?")
"""A line of a quote; `>}}` ends a shortcode of Hugo."""
_CALLOUT = re.compile(r"^\[!\w+\][+-]?[ \t]*")
_QUOTED_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+")
_CHUNK = re.compile(r"\{\w+[ ,}]")
_CHUNK_OPTION = re.compile(r"^[ \t]*(?:#|//|%%|--)\|")
_HIDDEN_CHUNK = re.compile(r"\b(?:echo|include)[ \t]*[=:][ \t]*(?:F|FALSE|false)\b")
REMOVED_CELLS = frozenset(
    {"remove-cell", "remove_cell", "remove-input", "remove_input", "solution", "solutions"}
)
"""Tags of cells of a notebook that its reader does not see."""
_CELL_TAGS = re.compile(r"[\w-]+")
_CELL_BREAK = re.compile(r"^\+{3}(?:[ \t].*)?$")
"""Between two cells of a notebook that MyST writes as text."""
_PLACED = re.compile(r"^\{(?:glue:)?(?:figure|image)\}")
"""A directive that shows a picture; its argument is a file or an output's name, its text the caption."""
_CODE_CELLS = frozenset({"code-cell", "code-block", "code", "sourcecode", "ipython", "ipython3"})
_NO_TEXT = frozenset(
    "toctree contents tableofcontents image figure include literalinclude bibliography index raw iframe "
    "video youtube button-link button-ref sectionauthor eval-rst list-of-figures".split()
)
_PARTS = {"dropdown": "", "solution": "Solution", "solution-start": "Solution"}
"""Directives that are a part of their own: its title, or "" where their argument is it."""
_QUERIES = frozenset({"dataview", "dataviewjs", "toc"})
"""Code of Obsidian and d2l that is shown as what it finds."""
_DOCSIFY = re.compile(r"^[?!]>[ \t]+")
_CHOSEN = re.compile(r"^(?:%%tab|#[ \t]?@tab)[ \t]+(?P<tabs>.+)$")
_MAGIC = re.compile(
    r"^(?:%(?:load_ext|reload_ext|matplotlib|config)\b|tab\.interact_select\("
    r"|[ \t]*\{\{#(?:\w*include|play\w+) [^{}\n]*\}\}[ \t]*$)"
)
"""A line of code that is none of the text: orders to a notebook, files that mdBook includes."""
_HIDDEN_RUST = re.compile(rf"{_MAGIC.pattern}|^[ \t]*#(?:[ \t]|$)")
"""The same, or a line of an example that rustdoc and mdBook run and do not show."""
_BEGIN_TAB = re.compile(r"^[ \t]*:begin_tab:`+(?P<tabs>[^`\n]*)`+[ \t]*$")
_END_TAB = re.compile(r"^[ \t]*:end_tab:[ \t]*$")
_COLONS = re.compile(r"^[ \t]*:{3,}[ \t]*(?P<rest>.*)$")
_COLON_KIND = re.compile(r"^(?:\{[^}\n]*\}|[\w-]+)?[ \t]*(?:\[(?P<bracketed>[^\]\n]*)\]|(?P<title>[^{\n]*))")
_OUTLINE = re.compile(r"^:{3,}[ \t]*(?:objectives|questions|instructor)[ \t]*$")
"""Blocks of The Carpentries that teach nothing: goals, guiding questions, notes for instructors."""
_OPTION = re.compile(r"^[ \t]*:[\w-]+:(?:[ \t].*)?$")
_INDENTED = re.compile(
    r"^(?P<margin> *)(?P<mark>!!!|\?\?\?\+?|===[!+]?)[ \t]+(?P<kind>[\w -]*?)[ \t]*"
    r'(?:"(?P<title>.*)")?[ \t]*$'
)
_INDENTS = ("    ", "\t")
_LISTED = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]|^[ \t]{1,}\S")
_LANGUAGE = re.compile(r"[\w+#-]+")
_DEEPEST = 10
_PREFERRED = ("pytorch", "python")
"""The tabs that are read of a text written for several tools or languages; else the first."""
_MEANING = re.compile(r"^:[ \t]{1,3}(?=\S)")
"""Begins a definition as Pandoc and Markdown Extra write it, below its term."""
_TERM = re.compile(r"^(?![-+#>|\s])[^*\n]{1,100}$")
_CODE_LANGUAGES = frozenset(
    "python c c++ cpp java c# csharp go swift js javascript ts typescript dart rust kotlin ruby zig php "
    "scala julia r matlab pytorch tensorflow mxnet jax paddle".split()
)


def plain_markdown(text: str, suffix: str) -> str:
    """The text of a file of this ending as plain Markdown.

    Relative links are left as words between `LINK_OPENS` and `LINK_CLOSES`.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    document = _Document(suffix=suffix, tab=_tab_kept(lines), targets=link_targets(text))
    return "\n".join(_plain(lines, document))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """The ending of the file, the tab that is kept, and what names of links stand for."""

    suffix: str
    tab: str
    targets: Mapping[str, str]
    depth: int = 0
    quoted: bool = False

    def shows(self, tabs: str) -> bool:
        """True if the text of these tabs is kept."""
        return not self.tab or not _names(tabs).isdisjoint((self.tab, "all"))

    def cleaned(self, prose: Sequence[str]) -> list[str]:
        """Lines of prose without marks."""
        return without_marks("\n".join(prose), self.targets, self.suffix).split("\n") if prose else []

    def inner(self, *, quoted: bool = False) -> _Document:
        """The same, for what stands inside of a directive or a quote."""
        return replace(self, depth=self.depth + 1, quoted=quoted or self.quoted)


def _tab_kept(lines: Sequence[str]) -> str:
    """The one tool whose tabs are read of a document written for several; empty for no tabs."""
    found = {name: None for line in lines for name in sorted(_tabs_of(line))}
    return next((tab for tab in _PREFERRED if tab in found), next(iter(found), ""))


def _tabs_of(line: str) -> frozenset[str]:
    if "tab" not in line and not line.startswith("==="):
        return frozenset()
    if chosen := _CHOSEN.match(line) or _BEGIN_TAB.match(line):
        return _names(chosen["tabs"]) - {"all"}
    opens = _INDENTED.match(line) if line.startswith("===") else None
    return _names(opens["title"] or "") & _CODE_LANGUAGES if opens else frozenset()


def _plain(lines: Sequence[str], document: _Document) -> Iterator[str]:
    """Lines of prose and of code by turns; prose is cleaned together, since its marks may span lines."""
    prose: list[str] = []
    before = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        first = line.lstrip()[:1]
        if not first or (first.isalpha() and not line.startswith(_INDENTS)):  # most lines, soon done with
            before = line if first else before
            prose.append(line)
            at += 1
            continue
        if line.startswith(">") and _QUOTE.match(line) and document.depth < _DEEPEST:
            pieces, at = _quoted(lines, at, document)
        elif fence := _FENCE.match(line):
            end = _first(lines, at + 1, _closing_of(fence["ticks"]))
            body = lines[at + 1 : end]
            pieces = _fenced(fence, body, lines[end : end + 1], document)
            at = end + 1
        elif begins := _BEGIN_TAB.match(line):
            end = _first(lines, at + 1, lambda line: _END_TAB.match(line) or _BEGIN_TAB.match(line))
            shown = document.shows(begins["tabs"])
            pieces = [*_plain(lines[at + 1 : end], document.inner())] if shown else [""]
            at = end
        elif _OUTLINE.match(line) and (end := _end_of_outline(lines, at)) > at:
            pieces, at = [""], end
        elif (end := _end_of_indented_code(lines, at, before)) > at:
            pieces = list(lines[at:end])
            at = end
        elif document.depth < _DEEPEST and (opens := _INDENTED.match(line)):
            pieces, at = _indented(lines, at, opens, document)
        else:
            before = line if line.strip() else before
            meant = _defining(prose) if (meaning := _MEANING.match(line)) else ""
            if meaning and meant:
                prose.append(meant + line[meaning.end() :])
            else:
                prose.append(_opened(line, lines[at - 1] if at else "", document))
            at += 1
            continue
        yield from document.cleaned(prose)
        prose.clear()
        yield from pieces
    yield from document.cleaned(prose)


def _defining(prose: list[str]) -> str:
    """The beginning of a definition below this prose: its term in bold, which is removed from the prose.

    Empty where the line above is no term, and the last definition is not of the same one.
    """
    last = next((n for n in range(len(prose) - 1, -1, -1) if prose[n].strip()), None)
    if last is None or len(prose) - last > 2:
        return ""
    term = prose[last].strip()
    if not _TERM.match(prose[last]):
        return "- " if term.startswith("- **") else ""
    if last and prose[last - 1].strip():
        return ""
    del prose[last:]
    return f"- **{term}**: "


def _end_of_indented_code(lines: Sequence[str], at: int, before: str) -> int:
    """The line after code that four blanks begin here, else `at`; `before` is the last line of prose."""
    follows_text = at > 0 and lines[at - 1].strip()
    if not lines[at].strip() or not lines[at].startswith(_INDENTS) or follows_text or _LISTED.match(before):
        return at
    return _end_of_indent(lines, at, _INDENTS)


def _end_of_indent(lines: Sequence[str], at: int, indents: tuple[str, ...]) -> int:
    """The next line with text that begins with none of the indents."""
    return _first(lines, at, lambda line: line.strip() and not line.startswith(indents))


def _first(lines: Sequence[str], at: int, ends: Callable[[str], object]) -> int:
    """The first line from `at` on that ends a block, else one behind the last."""
    return next((n for n in range(at, len(lines)) if ends(lines[n])), len(lines))


def _quoted(lines: Sequence[str], at: int, document: _Document) -> tuple[list[str], int]:
    """The text of a quote as paragraphs, lists, tables and code like any other, and the line after it."""
    end = _first(lines, at, lambda line: not line.lstrip(" ").startswith(">"))
    inside = [line.lstrip(" ")[1:].removeprefix(" ") for line in lines[at:end]]
    inside[0] = _CALLOUT.sub("", inside[0])
    after = [""] if inside[-1].lstrip().startswith(("|", "`", "~")) else []
    return ["", *_plain(inside, document.inner(quoted=True)), *after], end


def _opened(line: str, above: str, document: _Document) -> str:
    """A line of prose; of the fence of a colon block only its title is left."""
    is_option = _OPTION.match(line) and (_COLONS.match(above) or _OPTION.match(above))
    if is_option or _END_TAB.match(line) or _CELL_BREAK.match(line):
        return ""
    if is_glyph(line.lstrip()[:1]):
        return as_item(line)
    line = _DOCSIFY.sub("", line)
    while quote := _QUOTE.match(line):
        line = quote["before"] + _CALLOUT.sub("", line[quote.end() :])
    if document.quoted:
        line = _QUOTED_HEADING.sub("", line)
    if not (colons := _COLONS.match(line)):
        return line
    if _PLACED.match(colons["rest"]):
        return ""
    kind = _COLON_KIND.match(colons["rest"])
    return (kind["bracketed"] or kind["title"] or "").strip() if kind else ""


def _end_of_outline(lines: Sequence[str], at: int) -> int:
    """The line after the block that begins here; `at` where it has no end, or where another begins before."""
    end = _first(lines, at + 1, _COLONS.match)
    is_closed = end < len(lines) and not lines[end].strip(" \t:")
    return end + 1 if is_closed else at


def _closing_of(ticks: str) -> Callable[[str], bool]:
    """A test for the lines that close a fence."""

    def closes(line: str) -> bool:
        closing = line.strip(" \t")
        return closing.startswith(ticks) and not closing.strip(ticks[0])

    return closes


def _fenced(
    fence: re.Match[str], body: Sequence[str], closing: Sequence[str], document: _Document
) -> list[str]:
    """A fenced block: code of the tab that is kept, or what a directive of MyST becomes."""
    info = fence["info"].strip()
    braced = _BRACED.match(info)
    name = braced["name"] if braced else ""
    if _is_hidden(name, info, body):
        return [""]
    if name == "solution-end":
        return [*END_OF_SECTION]
    if name in _NO_TEXT if braced else info in _QUERIES:
        return [""]
    if braced and name == "math":
        return formula("\n".join(["$$", *_without_options(body), "$$"])).split("\n")
    if braced and name not in _CODE_CELLS and name not in _CODE_LANGUAGES:
        inside = _without_options(body)
        if document.depth < _DEEPEST:
            inside = [*_plain(inside, document.inner())]
        if name in _PARTS:
            title = section(_PARTS[name] or braced["rest"].strip())
            return [*title, *inside, *(END_OF_SECTION if name != "solution-start" else ())]
        return ["", "" if _PLACED.match(info) else braced["rest"].strip(), "", *inside, ""]
    language = _LANGUAGE.search(braced["rest"] or name if braced else info)
    hidden = _HIDDEN_RUST if language and language.group() == "rust" else _MAGIC
    code = [
        line for line in (_without_options(body) if info.startswith("{") else body) if not hidden.match(line)
    ]
    if code and (chosen := _CHOSEN.match(code[0])):
        if not document.shows(chosen["tabs"]):
            return [""]
        code = code[1:]
    if body and not any(map(str.strip, code)):
        return [""]
    opening = fence["indent"] + fence["ticks"] + (language.group() if language else "")
    ends = closing or [f"{' ' * len(fence['indent'])}{fence['ticks']}"]
    return [opening if info.startswith("{") else fence.group(), *code, *ends]


def _is_hidden(name: str, info: str, body: Sequence[str]) -> bool:
    """True for a cell of MyST that its tags hide, and a chunk of R Markdown or Quarto that hides its code."""
    options = " ".join(body[: len(body) - len(_without_options(body))])
    if name in _CODE_CELLS:
        return not REMOVED_CELLS.isdisjoint(_CELL_TAGS.findall(options))
    return bool(_CHUNK.match(info) and _HIDDEN_CHUNK.search(f"{info} {options}"))


def _without_options(body: Sequence[str]) -> list[str]:
    """The body of a directive without the options on its first lines."""
    lines = list(body)
    if lines and lines[0].strip() == "---" and "---" in (rest := [line.strip() for line in lines[1:]]):
        return lines[rest.index("---") + 2 :]
    while lines and (_OPTION.match(lines[0]) or _CHUNK_OPTION.match(lines[0])):
        del lines[0]
    return lines


def _indented(
    lines: Sequence[str], at: int, opens: re.Match[str], document: _Document
) -> tuple[list[str], int]:
    """The text of an admonition or tab of MkDocs under its title, in its list, and the line after it."""
    margin = opens["margin"]
    end = _end_of_indent(lines, at + 1, tuple(margin + each for each in _INDENTS))
    title = (opens["title"] or "").strip()
    of_language = opens["mark"].startswith("===") and title.lower() in _CODE_LANGUAGES
    if of_language and title.lower() != document.tab:
        return [""], end
    beside = [line.removeprefix(margin) for line in lines[at + 1 : end]]
    inner = [line[1:] if line.startswith("\t") else line[4:] for line in beside]
    shown = "" if of_language else "\n".join(document.cleaned([title]))
    text = _plain(inner, document.inner())
    if shown and not margin and (opens["mark"].startswith("???") or opens["kind"].strip() == "question"):
        return [*section(shown), *text, *END_OF_SECTION], end
    return ["", *(each and margin + each for each in (shown, "", *text)), ""], end


def _names(tabs: str) -> frozenset[str]:
    return frozenset(tab.strip().lower() for tab in tabs.split(","))
