r"""Marks in prose that are no words of it: roles, links to files, images, tags, templates, footnotes.

Characters that Markdown writes as escapes (`\*`) or entities (`&emsp;`) become the characters themselves.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from html import unescape
from html.entities import html5
from unicodedata import category
from urllib.parse import unquote_plus

from knowledge.sources.note_marks import (
    LINK_CLOSES,
    LINK_OPENS,
    with_sections,
    with_shifts,
    without_note_marks,
)
from knowledge.sources.text import without_glyphs

_KEEPS = ("\U000f0082", "\U000f0083")
_OURS = re.compile("[\U000f0000-\U000f0085]")
"""Those above, of `note_marks` and of `hide`."""
_HAN = re.compile(r"[\u4e00-\u9fff]")

DISPLAYED = r"\$\$(?:(?!\$\$|\n[ \t]*\n)[\s\S]){1,4000}\$\$"
"""A formula between double dollars."""
_VERBATIM = re.compile(
    r"(?=[`\\$])(?:(?:(?<![`\\])|(?<=\\`))(?P<tick>`{1,3})(?!`)[^`](?:[^\n]{0,600}?[^`])??(?P=tick)(?!`)"
    r"|(?<!\\)\\\((?P<round>(?=[^\n]{0,300}?[\\^_=][^)])[^\n]{1,300}?)\\\)"
    rf"|(?<!\\)(?P<double>{DISPLAYED})"
    r"|(?<!\\)\\\[(?!\d{1,3}\\\])[^\]]{1,2000}\\\]"
    r"|(?:(?<![\\$])|(?<=\\\$))\$(?![\s$])[^$\n]{1,600}(?<![\s\\])\$(?!\d))"
)
_BEGINS_BLOCK = re.compile(r"\n[ \t]*(?=(?:=+|-+)[ \t]*\n|(?:[-+*]|#{1,6}|\d{1,9}[.)])[ \t]|>)")
_COMMENT = re.compile(r"(?<!\\)%")
_VERBATIM_AT = re.compile(f"{_KEEPS[0]}(\\d+){_KEEPS[1]}")
_ROLE = re.compile(
    r"(?P<space>[ \t]?)(?<!`)(?:\{(?P<braced>[\w:.-]{1,40})\}|:(?P<plain>[a-zA-Z][\w.-]{0,39}):)"
    r"(?P<ticks>`{1,2})(?P<text>[^`\n]{1,500}(?:\n[^`\n]{1,500})?)(?P=ticks)"
)
_TARGET = re.compile(r"^(?P<words>[^<]{1,600}?)\s*<[^<>]{1,300}>$")
_NOTHING = frozenset("label eqlabel width height alt name class index bdg span fa fas octicon".split())
_CITED = frozenset("cite citep cite:p footcite cite:ps footcite:p".split())
_CITED_BY_NAME = frozenset("citet cite:t cite:ts footcite:t cite:author".split())
_REFERENCES = {"eqref": "eq", "eq": "eq"} | dict.fromkeys(["numref", "ref", "prf:ref", "any", "doc"], "")
"""What a role refers to where the label does not say it."""
_CODE_ROLES = frozenset(
    "func class meth mod attr data obj const exc code kbd command file samp envvar".split()
)
_NEEDS_NAME = re.compile(
    r"(?:\b(?:in|by|of|from|see|as|to|and|with|on|following)|[由在见如据])$", re.IGNORECASE
)
"""The text before a citation that is a part of its sentence."""
_MAY_NEED_NAME = re.compile(r"(?:^|[,.;:([，。；：（])$")
"""The same, where the sentence goes on behind the citation."""
_SENTENCE_OPENS = re.compile(r"(?:^|[.!?]\s|\n\s*\n\s*)$")
_AUTHORS = re.compile(r"[.:_]+|(?<=[a-z])(?=\d{4})")
_KINDS = {
    kind: names
    for kinds, names in {
        "fig img": ("the figure", "图"),
        "tab tbl": ("the table", "表"),
        "eq": ("the equation", "公式"),
        "sec section subsec": ("the section", "该节"),
        "chap chapter": ("the chapter", "该章"),
    }.items()
    for kind in kinds.split()
}
"""The name of a thing in English and Chinese, by the first such part of its label."""

_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<name>[^\]\[^\n]{1,200})\]:[ \t]*<?(?P<target>[^\s>]{1,2000})>?[^\n]*$", re.MULTILINE
)
_NAMED_LINK = re.compile(r"\[(?P<words>[^\[\]\n]{1,300})\](?:\[(?P<name>[^\[\]\n]{0,200})\])?(?![\[(])")
_IMAGE = re.compile(
    r"!\[(?:[^\[\]]|\[[^\[\]\n]{0,200}\]){0,1000}\]"
    r"(?:\((?P<target>[^()\n]*(?:\([^()\n]{0,500}\)[^()\n]{0,500})?)\)|\[[^\]\n]{0,200}\])"
    r"(?:\{[^}\n]{0,200}\})?"
)
_DRAWN_FORMULA = re.compile(
    r"^<?https?://[^?\s]{1,300}\?(?:[^\s]{0,100}&)?(?:tex|math|latex)=(?P<tex>[^&\s>]{1,1500})"
)
_LINK = re.compile(
    r"\[(?P<words>[^\[\]]{0,500})\]"
    r"\((?P<target><[^<>\n]{0,2000}>|[^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?)\)"
    r"(?:\{[^}\n]{0,200}\})?"
)
_LABEL = re.compile(r"[\w:-]{1,100}")
_OUTSIDE = re.compile(r"<?(?:https?:|mailto:|ftp:|//)", re.IGNORECASE)

_DROPPED = re.compile(
    r"<!--[\s\S]*?(?:-->|\Z)"
    r"|\{\{[<%#][^{}]{0,500}\}\}"  # Hugo, mdBook
    r"|\{%[^%]{0,500}%\}"  # Jekyll, GitBook
    r"|\{\{-?\s*(?:site|page|layout|include|content|config|book)\b[^{}\n]{0,300}\}\}"
    r"|\{:[^{}\n]{0,300}\}"  # kramdown
    r"|(?<=\S)[ \t]*\{(?:[#.][^{}\n]{0,200}|-)\}[ \t]*$"  # attributes at the end of a heading
    r"|[ \t]?\[@[\w:.-][^\]\n]{0,300}\]"  # Pandoc's citations
    r"|^[ \t]*\[\^[^\]\s]{1,100}\]:[ \t]*|[ \t]?\[\^[^\]\s]{1,100}\]|\^\[[^\]\n]{1,10}\]\^"  # footnotes
    r"|^\([\w:.-]{1,100}\)=[ \t]*$"  # names of places of MyST
    r"|^[ \t]*\[\[?_?toc_?\]?\][ \t]*$|^[ \t]*(?:\[%[^\]\n]{0,100}\])[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_HIGHLIGHT = re.compile(
    r"\{%-?\s*highlight\s+([\w+#-]+)[^%\n]{0,100}%\}([\s\S]{0,20000}?)\{%-?\s*endhighlight\s*-?%\}"
)
_CROSS_REFERENCE = re.compile(r"(?<![\w@.])@(?P<label>(?:fig|tbl|eq|sec)-[\w-]{1,100})")

_HIGHLIGHTED = r"(?P<mark>\*\*|~~)(?P<words>(?:(?!\*\*|~~|\n\n)[\s\S]){1,1500})(?P=mark)"
_MARKED = re.compile(rf"(?<!!)[\[(]{_HIGHLIGHTED}(?:\)|\](?![(\[]))")  # d2l
_THREE_STARS = re.compile(r"(?<![*\\])\*{3}(?=[^\s*])([^*\n]{1,500})(?<=[^\s*])\*{3}(?!\*)")
_ONE_STAR = re.compile(
    r"(?<![A-Za-z0-9*\\])\*(?=[^\s*])([^*\n]{1,500}(?:\n[^*\n]{1,500})?)(?<=[^\s*\\])\*(?![A-Za-z0-9*])"
)
_TERM = re.compile(r"[^\W\d_]+(?:[ \n'’-][^\W\d_]+){0,4}")
"""What is set in italics as a term is: up to five words and no more."""
_UNDERLINE = re.compile(r"(?<![\w\\])_(?=[^\s_])([^_\n]{1,500}(?:\n[^_\n]{1,500})?)(?<=[^\s_\\])_(?!\w)")

_SILENT = re.compile(
    r"<(script|style|iframe|svg|video|audio|object|nav|button|del|strike)\b[\s\S]*?(?:</\1\s*>|\Z)",
    re.IGNORECASE,
)
_HEADING_TAG = re.compile(r"<h([1-6])\b[^<>]{0,500}>([\s\S]{0,500}?)</h\1\s*>", re.IGNORECASE)
_ANCHOR = re.compile(
    r"<a\b[^<>]{0,500}?href=[\"'](https?:[^\"'\s]{1,1000})[\"'][^<>]{0,500}>([^<>\[\]]{1,300})</a\s*>",
    re.IGNORECASE,
)
_BLOCK_TAGS = (
    "p|div|center|details|section|figure|figcaption|summary|main|article|picture|source|tabs|tabitem"
)
_INLINE_TAGS = (
    "span|font|aside|a|b|i|u|s|em|strong|small|big|mark|code|kbd|sub|sup|ins|tt|cite|q|abbr|hr|img|input|wbr"
)
_TAG = re.compile(
    rf"(?:^[ \t]*)?</?(?:{_BLOCK_TAGS}|{_INLINE_TAGS})\b(?:[^<>\"']|\"[^<\"]*\"|'[^<']*'|[\"'])*+>",
    re.IGNORECASE | re.MULTILINE,
)
_HTML = re.compile(r"<pre\b[\s\S]{0,5000}?</pre\s*>", re.IGNORECASE)
_BREAK = re.compile(r"(?:(?<![ \t])[ \t]+)?</?br\b[^<>]{0,100}>[ \t]*", re.IGNORECASE)
_LINE_OPENS = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_ONE_LINE = re.compile(r"\||^ {0,3}#{1,6}[ \t]")
_ADDRESS = re.compile(
    r"(?<!\()<(?P<address>(?:https?|ftp)://[^\s<>]{1,2000}|(?P<mail>(?:mailto:)?[\w.+-]{1,64}@[\w.-]{1,200}))>"
)
_TILDES = r"(?<!~)~~(?=[^\s~])(?:(?!~~|\n\n)[\s\S]){1,1500}(?<=\S)~~(?!~)"
_STRUCK = re.compile(
    rf"^[ \t]*(?:[-*+]|\d{{1,9}}[.)])[ \t]+{_TILDES}[ \t]*$|^{_TILDES}[ \t]*|[ \t]?{_TILDES}", re.MULTILINE
)
_SHORTCODE = re.compile(
    r"[ \t]{0,3}(?<!\S):(?:[a-z][a-z\d_+-]{1,40}|[+-]1|100):(?!\S)"
    r"|:(?:fontawesome|material|octicons|simple)-[a-z\d-]{1,60}:(?:\{[^{}\n]{0,200}\})?[ \t]?"
)
"""Emoji, and icons of Material for MkDocs."""
_KEY = r"(?:[\w-]{1,30}|\"[^\"\n]{1,30}\")"
_KEYS_PRESSED = re.compile(rf"(?<![A-Za-z0-9+\\])\+\+(?P<keys>{_KEY}(?:\+{_KEY}){{0,5}})\+\+(?![A-Za-z0-9+])")
"""Keys as PyMdown writes them, by name or in quotes."""
_SPAN = re.compile(r"(?<![!\]\\])\[(?P<words>[^\[\]\n]{1,500})\]\{[ \t]*[.#][^{}\n]{0,200}\}")
"""Words with attributes, as Pandoc writes them."""
_CODE_TAG = re.compile(r"<code\b[^<>]{0,200}>([^<>&`\n]{1,300})</code\s*>", re.IGNORECASE)

_INLINE_QUERY = re.compile(r"`\$?= ?(?:this|dv)\.[^`\n]{0,300}`")  # Dataview of Obsidian
_INLINE_CODE = re.compile(r"(?<!`)`(?:r[ #]|\{(?:r|python|julia|ojs)\} )[^`\n]{1,500}`(?!`)")
"""Code of R Markdown and Quarto that stands for what it gives."""
_BOOKDOWN = re.compile(
    r"[ \t]?(?<!`)\\index\{(?:[^{}\n]|\{[^{}\n]*\}){0,200}\}"
    r"|(?<!`)(?:(?:Fig|Tab|Eq|Sec|Chap)[a-z]*\.?\s|(?:图|表|公?式)[ \t]?|(?P<nth>第[ \t]?))?"
    r"\\@ref\((?P<label>[\w:.-]{1,100})\)(?(nth)(?:[ \t]?[章节])?)"
)
"""Entries of an index, and references whose numbers are not in the file, with the kind before them."""
_NO_KRAMDOWN = re.compile(r"[$`\n]|^\S.*\s$|^\s(?!.*[\\^_=(].*\s$)")
"""What stands in no formula of kramdown within a line: there `$$` may be a variable of a shell or of make."""
_DISPLAYS = (".qmd", ".rmd", ".ipynb")
"""Texts of Pandoc and MathJax, whose double dollars always set a formula off."""


def link_targets(text: str) -> dict[str, str]:
    """The targets of `[name]: target` in a document, by name."""
    if "]:" not in text:
        return {}
    return {match["name"].casefold(): match["target"] for match in _DEFINITION.finditer(text)}


def without_marks(text: str, targets: Mapping[str, str], suffix: str) -> str:
    """Prose of a file of this ending without marks; links to files stand between `LINK_OPENS`, `LINK_CLOSES`.

    Code spans and formulas stay as they are. Images go with their descriptions.
    """
    chinese = len(_HAN.findall(text)) * 10 > len(text)
    text = _INLINE_QUERY.sub("", _OURS.sub("", text))
    if suffix in (".qmd", ".rmd"):
        text = _BOOKDOWN.sub(_as_role, _INLINE_CODE.sub("…", text))
    if "}`" in text or ":`" in text:
        text = _ROLE.sub(lambda match: _role(match, chinese), text)
    text = _HIGHLIGHT.sub(lambda match: f"```{match[1]}\n{match[2].strip(chr(10))}\n```", text)
    kept: list[str] = []

    def keep(match: re.Match[str], text: str = "") -> str:
        kept.append(text or match.group())
        return f"{_KEEPS[0]}{len(kept) - 1}{_KEEPS[1]}"

    if "`" in text or "$" in text or "\\" in text:
        text = _VERBATIM.sub(lambda match: keep(match, _verbatim(match, suffix)), text)
    if "<" in text:
        text = _ADDRESS.sub(lambda match: keep(match, _address(match)), _HTML.sub(keep, text))
        text = _CODE_TAG.sub(lambda match: keep(match, f"`{match[1]}`"), text)
    text = _prose(text, targets, chinese)
    for _ in range(2 if kept else 0):  # HTML may hold code
        text = _VERBATIM_AT.sub(lambda match: kept[int(match[1])], text)
    return text


def _verbatim(match: re.Match[str], suffix: str) -> str:
    r"""What a match of `_VERBATIM` is kept as: `\(x\)`, and `$$x$$` of kramdown in a line, between `$`."""
    if match["round"]:
        return f"${match['round'].strip()}$"
    text = match.group()
    if match["double"] and suffix not in _DISPLAYS and not _NO_KRAMDOWN.search(text[2:-2]):
        before = match.string[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2]
        after = match.string[match.end() : match.end() + _NEAR].partition("\n")[0]
        return f"${text[2:-2].strip()}$" if _LETTER.search(before + after) else text
    return formula(text)


def formula(tex: str) -> str:
    """A formula in which no line begins a heading, list or quote of Markdown.

    One with a comment of TeX stays: what is joined to that would be a part of it.
    """
    return tex if _COMMENT.search(tex) else _BEGINS_BLOCK.sub(" ", tex)


def _prose(text: str, targets: Mapping[str, str], chinese: bool) -> str:
    if "<" in text:
        text = "\n".join(_broken(line) if "<" in line else line for line in text.split("\n"))
    text = hide(without_glyphs(text))
    text = _SHORTCODE.sub("", text) if ":" in text else text
    text = _KEYS_PRESSED.sub(_pressed, text) if "++" in text else text
    text = without_note_marks(text)
    if "{" in text or "[" in text or "<!--" in text or ")=" in text:
        text = _DROPPED.sub("", text)
    text = _CROSS_REFERENCE.sub(lambda match: _thing(match["label"], chinese), text)
    text = _IMAGE.sub(_image, text) if "![" in text else text
    text = _without_tags(text) if "<" in text else text
    text = _MARKED.sub(r"\g<words>", text) if "(**" in text or "[**" in text or "~~" in text else text
    if "[" in text:
        text = _SPAN.sub(r"\g<words>", text) if "]{" in text else text
        text = _linked(text, targets, chinese)
    text = _STRUCK.sub("", text) if "~~" in text else text
    if "*" in text:
        text = _ONE_STAR.sub(_emphasised, _THREE_STARS.sub(r"**\1**", text))
    return _UNDERLINE.sub(r"\1", text) if "_" in text else text


def _pressed(match: re.Match[str]) -> str:
    """`Ctrl+Page Up` for the keys `ctrl+page-up`; what stands in quotes as it is."""
    keys = re.findall(_KEY, match["keys"])
    return "+".join(key.strip('"') if key[0] == '"' else key.replace("-", " ").title() for key in keys)


def _emphasised(match: re.Match[str]) -> str:
    """Words in italics: a term stays in them, as that tells that it is one."""
    return match.group() if _TERM.fullmatch(match[1]) else match[1]


def _image(match: re.Match[str]) -> str:
    """Nothing, or the formula of which a service draws the image."""
    drawn = _DRAWN_FORMULA.match(match["target"] or "")
    return f"${unquote_plus(drawn['tex']).strip()}$" if drawn else ""


def _without_tags(text: str) -> str:
    """The words between tags; tables, lists and code in HTML are left to the reader of HTML."""
    text = with_shifts(with_sections(_SILENT.sub("", text)))
    text = _HEADING_TAG.sub(lambda match: f"\n\n{'#' * int(match[1])} {' '.join(match[2].split())}\n\n", text)
    text = _ANCHOR.sub(r"[\2](\1)", text)
    return _TAG.sub("", text)


def _broken(line: str) -> str:
    """A line with the line breaks of HTML as those of Markdown; in headings and tables as blanks."""
    first, *more = _BREAK.split(line)
    if not more or _ONE_LINE.search(line):
        return " ".join([first, *more]).rstrip() if more else line
    opening = _LINE_OPENS.match(line)
    indent = " " * len(opening.group()) if opening else ""
    lines = (
        [first, *(f"{indent}{each}" for each in more if each)] if first.strip() else [e for e in more if e]
    )
    return "  \n".join(lines) + ("" if more[-1] or not lines else "  ")


def _address(match: re.Match[str]) -> str:
    """A link whose words are its address."""
    address = match["address"].removeprefix("mailto:")
    target = address.replace("(", "%28").replace(")", "%29")
    return f"[{address}]({'mailto:' if match['mail'] else ''}{target})"


def _linked(text: str, targets: Mapping[str, str], chinese: bool) -> str:
    """Links to the outside as they are, those by a name with their address, others as words."""

    def named(match: re.Match[str]) -> str:
        target = targets.get((match["name"] or match["words"]).casefold())
        return match.group() if target is None else f"[{match['words']}]({target})"

    if targets:
        text = _NAMED_LINK.sub(named, _DEFINITION.sub("", text))
    return _LINK.sub(lambda match: _link(match, chinese), text)


def _link(match: re.Match[str], chinese: bool) -> str:
    words = match["words"].strip()
    if not words:  # MyST puts in what a label names
        return _thing(match["target"], chinese) if _LABEL.fullmatch(match["target"]) else ""
    return match.group() if _OUTSIDE.match(match["target"]) else f"{LINK_OPENS}{words}{LINK_CLOSES}"


def _role(match: re.Match[str], chinese: bool) -> str:
    """The words for a role of Sphinx, MyST or d2l."""
    name, space, text = match["braced"] or match["plain"], match["space"], match["text"]
    titled = _TARGET.match(text)
    if name in _NOTHING:
        return ""
    if name.startswith("glue"):  # the name of an output, which is not in the file
        return f"{space}…"
    if name in _CITED:
        before = match.string[max(0, match.start() - 20) : match.start()].rstrip()
        goes_on = match.string[match.end() : match.end() + 2].strip()[:1].isalpha()
        is_named = _NEEDS_NAME.search(before) or (goes_on and _MAY_NEED_NAME.search(before))
        return space + _cited(text) if is_named else ""
    if titled:
        return f"{space}{titled['words']}"
    if name in _CITED_BY_NAME:
        return space + _cited(text)
    if name in _REFERENCES:
        thing = _thing(text, chinese, _REFERENCES[name])
        opens = _SENTENCE_OPENS.search(match.string[max(0, match.start() - 3) : match.end("space")])
        return space + (thing[:1].upper() + thing[1:] if opens else thing)
    if name.rpartition(":")[2] in _CODE_ROLES:
        return f"{space}`{text.lstrip('~!')}`"
    return f"{space}${text}$" if name == "math" else space + text


def _as_role(match: re.Match[str]) -> str:
    """A reference of bookdown as Sphinx writes it, to a section where its label tells no kind."""
    label = match["label"]
    return f"{{ref}}`{label if ':' in label else f'sec-{label}'}`" if label else ""


def _thing(label: str, chinese: bool, usual: str = "") -> str:
    """`the figure` for `fig_output`; a section by the words of its label.

    A label that tells no kind is of the `usual` one, or where there is none, its words.
    """
    first, *rest = re.split("[-:_]+", label)
    kinds = [part.lower().rstrip(string.digits) for part in (first, *rest)]
    kind = next((each for each in kinds if each in _KINDS), usual)
    if not kind:
        return " ".join(re.split(r"[-_/]+", label.rpartition("/")[2]))
    is_named = any(rest) and not chinese and kinds[0].startswith(("sec", "subsec", "chap"))
    return f"“{' '.join(rest)}”" if is_named else _KINDS[kind][chinese]


def _cited(key: str) -> str:
    """`Vaswani et al. (2017)` of `Vaswani.Shazeer.ea.2017`, `Sims (2001)` of `sims2001`."""
    names = [part for part in _AUTHORS.split(key.partition(",")[0].strip()) if part]
    year = names.pop()[:4] if len(names) > 1 and names[-1][:4].isdigit() else ""
    names = [name[:1].upper() + name[1:] for name in names]
    authors = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{authors} ({year})" if year else authors


_SHIFT = 0xF0000
_FULL_WIDTH = 0xFEE0
_MARKS = {ord(c) + _SHIFT: c for c in string.punctuation}
_ESCAPED = re.compile(
    r"\\(?P<mark>[!-/:-@\[-`{-~])"
    r"|&(?:amp;)*(?P<entity>#\d{1,7};|#[xX][\da-fA-F]{1,6};|[A-Za-z]\w{1,31};)"
)
_HIDDEN = re.compile(f"([{''.join(map(chr, _MARKS))}])\\1*")
_BLANK = "\u00a0\u2000-\u200a\u202f\u205f"
_ANY_BLANK = re.compile(f"[{_BLANK}]")
_AT_AN_END = re.compile(rf"(?<!  \n)^([ \t]*)[{_BLANK}]+|()[{_BLANK}]+(?=[ \t]*$)", re.MULTILINE)
_GAP = re.compile(rf"(?<=\S)[ \t]?[{_BLANK}][{_BLANK} \t]*")
_LETTER = re.compile(r"[^\W\d_]")
_NEAR = 300
"""Characters around a mark that tell whether it would act."""


def hide(prose: str) -> str:
    """Prose in which each escape and entity is one character that no parser takes for a mark.

    Blanks that are none of ASCII become one; they stay where they indent a line after a line break.
    """
    if "&" in prose or "\\" in prose:
        prose = re.sub(r"\\\n(?=.)", "  \n", _ESCAPED.sub(_hidden, prose))
    return _GAP.sub(" ", _AT_AN_END.sub(r"\1", prose)) if _ANY_BLANK.search(prose) else prose


def plain(text: str) -> str:
    """The text of `hide` with the characters themselves."""
    return text.translate(_MARKS)


def as_written(block: str) -> str:
    """A block of `hide` with the characters themselves, in full width where Markdown would read a mark.

    Both are the same to what compares and ranks texts (NFKC).
    """
    return block if block.isascii() else _HIDDEN.sub(_shown, block)


def _hidden(match: re.Match[str]) -> str:
    """A name that is no entity's stays."""
    text, entity = match["mark"], match["entity"]
    if entity:
        found = unescape(f"&{entity}") if entity[0] == "#" else html5.get(entity)
        if found is None:
            return match.group()
        text = "".join(" " if c in "\t\n\r\f\v" else c for c in found if category(c) not in ("Cf", "Co"))
    return "".join(chr(ord(c) + _SHIFT) if c in string.punctuation else c for c in text)


def _shown(run: re.Match[str]) -> str:
    mark, size = _MARKS[ord(run[1])], run.end() - run.start()
    before = run.string[max(0, run.start() - _NEAR) : run.start()]
    after = run.string[run.end() : run.end() + _NEAR]
    if mark == "*" and size == 1 and before[-1:].isalnum() and after[:1].isalnum():
        return " * "
    if mark == "|" and "|" in before.rpartition("\n")[2] + after.partition("\n")[0]:
        return "\\|" * size  # in a row of a table
    return (chr(ord(mark) + _FULL_WIDTH) if _would_act(mark, size, before, after) else mark) * size


def _would_act(mark: str, size: int, before: str, after: str) -> bool:
    """True if Markdown would interpret a run of the mark between these texts."""
    opens_line = not before.rpartition("\n")[2].strip() and len(before) < _NEAR
    last, following = before[-1:], after[:1]
    alone = size == 1 and not last.strip() and not following.strip()
    match mark:
        case "*":
            return not alone or opens_line
        case "_":
            return not alone and not (last.isalnum() and following.isalnum())
        case "~":
            return size > 1 or "~" in (last, following)
        case "$":
            several = chr(ord(mark) + _SHIFT) in before + after
            return size > 1 or "$" in before + after or (several and not following.isdigit())
        case "`":
            return True
        case "[":
            return "](" in after
        case "]" | "!":
            return following == ("(" if mark == "]" else "[")
        case "\\":
            return size > 1 or not following.strip() or plain(following) in string.punctuation
        case "#" | "+" | "-" | ">" | "|":
            return opens_line and (size > 1 or not following.strip() or mark in ">|")
    return False
