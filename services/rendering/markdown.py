"""Markdown of an answer to safe HTML: mathematics as MathML, no raw HTML, no images, no foreign schemes."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from html import escape, unescape

import nh3
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, emphasis
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_inline_dollar

LONGEST_MARKDOWN = 20_000
"""Characters; what is longer is shown as plain text."""
MOST_MARKS = 4_000
"""Characters that may begin something, such as a link, emphasis or a formula; the parser's work grows with
the square of some of them."""
MOST_CELLS = 8_000
"""Bars of the widest line times lines: the parser fills up the rows of a table."""

LONGEST_KEPT = 4_000
"""Characters of a text whose HTML is cached."""
_KEPT_TEXTS = 2_048
"""Texts whose HTML is cached, least recently used ones removed first. At most some 40 MB, mostly a tenth."""

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_MARK = re.compile(r"[\[*_$`<&~|]")
_MATH = set(
    "math mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover "
    "mtable mtr mtd mstyle mpadded mphantom menclose".split()
)
_TAGS = _MATH | set(
    "p br hr h1 h2 h3 h4 h5 h6 strong em s del code pre blockquote ul ol li "
    "table thead tbody tr th td a".split()
)
_ATTRIBUTES = {
    "a": {"href", "title"},
    "code": {"class"},
    "ol": {"start"},
    "th": {"style"},
    "td": {"style"},
    "math": {"display", "xmlns"},
    "mo": {"stretchy", "fence", "form", "separator", "lspace", "rspace"},
    "mi": {"mathvariant"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mspace": {"width"},
    "mtable": {"columnalign"},
    "mtd": {"columnalign"},
    "mover": {"accent"},
    "munder": {"accentunder"},
}
_FORMULA = math_inline_dollar(allow_space=True, allow_digits=True, allow_double=True)
_MONEY = re.compile(r"\$(?!\$)[^$\n]+\$\d")
"""Two amounts, "$5 and $10", and no formula."""
_SCHEMES = {"http", "https", "mailto"}


def render_markdown(text: str) -> str:
    """HTML that can be put into a page as it is: only listed tags, links only to http, https and mailto.

    What is too much work to parse is shown as plain text. The same passages are shown again and again, so the
    HTML of a text is kept.
    """
    return _render_kept(text) if len(text) <= LONGEST_KEPT else _render(text)


def _render(text: str) -> str:
    if is_too_much(text):
        return f"<pre>{escape(text)}</pre>"
    return sanitised(parser().render(text))


_render_kept = lru_cache(maxsize=_KEPT_TEXTS)(_render)


def sanitised(html: str) -> str:
    """HTML of the parser with nothing but the listed tags, attributes and schemes."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        filter_style_properties={"text-align"},
        link_rel="noopener noreferrer",
    )


def plain_text(text: str) -> str:
    """The words of Markdown on one line, without marks."""
    return " ".join(unescape(nh3.clean(render_markdown(text), tags=set())).split())


def is_too_much(text: str) -> bool:
    """True for a text that is too much work to parse."""
    if len(text) > LONGEST_MARKDOWN or len(_MARK.findall(text)) > MOST_MARKS:
        return True
    lines = text.split("\n")
    return max(line.count("|") for line in lines) * len(lines) > MOST_CELLS


@cache
def parser() -> MarkdownIt:
    """The one parser of all texts."""
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    made.disable("image")
    made.inline.ruler.at("emphasis", _emphasis)
    made.use(dollarmath_plugin, renderer=_math, allow_space=True, double_inline=True)
    made.inline.ruler.at("math_inline", _dollars)
    made.render("*a*")  # its rules are put in order at the first text, which two threads must not do at once
    return made


def beside_chinese(text: str, start: int, end: int) -> tuple[bool, bool]:
    """If the asterisks text[start:end] may open, and if they may close, emphasis beside Chinese.

    CommonMark forbids it where punctuation stands on their other side, since it supposes spaces
    between words: `**注意：**栈` would keep its asterisks. A single one that may multiply opens nothing.
    """
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if not before.strip() or not after.strip():
        return False, False
    return end - start > 1 and bool(_CHINESE.match(before)), bool(_CHINESE.match(after))


def _emphasis(state: StateInline, silent: bool) -> bool:
    start = state.pos
    if not emphasis.tokenize(state, silent):
        return False
    opens, closes = beside_chinese(state.src, start, state.pos) if state.src[start] == "*" else (False, False)
    for delimiter in state.delimiters[start - state.pos :]:
        delimiter.open |= opens
        delimiter.close |= closes
    return True


def _dollars(state: StateInline, silent: bool) -> bool:
    return _MONEY.match(state.src, state.pos) is None and _FORMULA(state, silent)


def _math(latex: str, options: dict[str, bool]) -> str:
    return _mathml(latex, "block" if options.get("display_mode") else "inline")


@lru_cache(maxsize=256)
def _mathml(latex: str, display: str) -> str:
    try:
        return str(convert(latex, display=display))
    except Exception:  # latex2mathml raises many kinds for what it cannot read
        return f"<code>{escape(latex)}</code>"
