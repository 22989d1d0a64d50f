"""Course text enters an answer as whole plain sentences that cannot act."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from processor_time import cheapest

from prompts.markdown import escape_cell, escape_markdown, escape_unit, split_sentences
from vta.units import UnitKind

ATTACKS = [
    "[click](javascript:alert(1))",
    "![x](https://evil.example/?q=1)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<https://evil.example>",
    "&#106;avascript:alert(1)",
    "`a` <b>bold</b> `c",
    "$x$ <i>y</i> $[a](javascript:b)$",
    "# heading",
    "> quote",
    "- item",
    "1. item",
    "a | b | c",
    "**bold** __bold__ *it* _it_",
    "\\[click](javascript:x)",
    "``` `x` ```",
]


def as_shown(markdown: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)


@pytest.mark.parametrize("attack", ATTACKS)
def test_escaped_text_renders_without_link_image_or_html(attack: str) -> None:
    assert set(re.findall(r"<(\w+)", as_shown(escape_markdown(attack)))) <= {"p", "code"}


@given(st.text(alphabet="[]()<>!`$*_#>-|\\&;:/ab1. \n", max_size=40))
def test_no_composition_of_markup_characters_becomes_active(text: str) -> None:
    shown = as_shown(f"> {escape_markdown(text)}")
    assert set(re.findall(r"<(\w+)", shown)) <= {"blockquote", "p", "code", "em", "strong"}


@given(st.text(alphabet="`$|\\ab ", max_size=30))
def test_text_in_a_table_stays_inside_its_cell(text: str) -> None:
    assert as_shown(f"| a | b |\n|---|---|\n| x{escape_cell(text)} | y |").count("<td>") == 2


@given(st.text(alphabet="[]`$1\\ a", max_size=30))
def test_text_brings_no_citation_mark_of_its_own(text: str) -> None:
    assert not re.search(r"\[\d+\]", escape_markdown(text))


@pytest.mark.parametrize(
    "text", ["snake_case stays", "`stack<int>` and $a_1 < b$", "C++ 与 C#", "a-b: c", "1.2 Trees", "2)x"]
)
def test_harmless_text_is_left_alone(text: str) -> None:
    assert escape_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("栈后进先出。队列先进先出！对吗？", ["栈后进先出。", "队列先进先出！", "对吗？"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("Pi is 3.14. It is, e.g. Dr. Smith says, irrational.", None),
        ("One line\ngoes on. Two.", ["One line goes on.", "Two."]),
        ("栈是一种\n线性表。", ["栈是一种线性表。"]),
        ("# Title\n\n- first item\n- second item", ["first item", "second item"]),
        ("See [the notes](a.md) and ![pic](b.png) **now**.", ["See the notes and now."]),
        ("See [the\nnotes](a.md) now.", ["See the notes now."]),
        ("Text.\n\n```python\nx = 1. Y\n```\n\n| a | b |\n|---|---|\n\nEnd.", ["Text.", "End."]),
        ("", []),
    ],
)
def test_sentences_are_split_at_their_ends_only(text: str, sentences: list[str] | None) -> None:
    expected = (
        sentences if sentences is not None else ["Pi is 3.14.", "It is, e.g. Dr. Smith says, irrational."]
    )
    assert split_sentences(text) == expected


@given(
    kind=st.sampled_from(sorted(set(UnitKind) - {UnitKind.CODE})),
    text=st.text(alphabet="[]()<>!`$*_#>-|\\&;:/ab1. \n", max_size=60),
)
def test_no_unit_of_the_course_becomes_active(kind: UnitKind, text: str) -> None:
    shown = as_shown(escape_unit(kind, text))
    plain = {"p", "code", "em", "strong", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(re.findall(r"<(\w+)", shown)) <= plain | {"blockquote", "pre", "hr", "br"}


@given(st.text(alphabet="`~ab<>\n ", max_size=60))
def test_nothing_in_a_code_block_closes_it(code: str) -> None:
    shown = escape_unit(UnitKind.CODE, f"```python\n{code}\n```")
    assert not shown or re.fullmatch(r"<pre><code[^>]*>[^<]*</code></pre>\n", as_shown(shown))


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        (UnitKind.CODE, "~~~ python\nx = `1`\n~~~", "```python\nx = `1`\n```"),
        (UnitKind.CODE, "```\n\n```", ""),
        (UnitKind.FORMULA, "$$\n\na = b\n$$", "$$a = b$$"),
        (UnitKind.FORMULA, "\\[a = b\\]", "$$a = b$$"),
        (UnitKind.FORMULA, "$$<img src=x>$$", ""),
        (UnitKind.TABLE, "| a | b |\n|---|---|\n| `x|y` | **z** |", "| a | b |\n|---|---|\n| `x\\|y` | z |"),
        (UnitKind.TABLE, "| a |\n| b |\n| c |", ""),
        (UnitKind.LIST, "1. *one*\n   goes on\n2. [two](a.md)", "1. one goes on\n2. two"),
        (UnitKind.LIST, "* a\n  * b", "- a\n  - b"),
        (UnitKind.LIST, "- a  \n  b\n- c", "- a  \n  b\n- c"),
        (UnitKind.LIST, "借：*现金*  \n\u2003贷：收入", "借：现金  \n\u2003贷：收入"),
    ],
)
def test_units_are_shown_as_units(kind: UnitKind, text: str, shown: str) -> None:
    assert escape_unit(kind, text) == shown


@pytest.mark.parametrize(
    "piece", ["[", "![", "`", "$", "<!--", "**", "> ", "```\n", "[a](", "a.\n", "|", ". "]
)
def test_long_runs_of_markup_take_no_more_than_a_moment(piece: str) -> None:
    text = piece * (40_000 // len(piece))

    def escape() -> None:
        for sentence in split_sentences(text):
            escape_markdown(sentence)
        escape_markdown(text)

    assert cheapest(escape, enough=2.0) < 2.0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("It calls `__init__()` and **takes `*args`** too.", "It calls `__init__()` and takes `*args` too."),
        ("Use *one `x` two* or __three__ here.", "Use one `x` two or three here."),
        ("See [`a[0](b)`](c.md), where $a__b__c$ holds.", "See `a[0](b)`, where $a__b__c$ holds."),
        ("A [盐](https://a.example/Salt_(cryptography)) is added.", "A 盐 is added."),
        ("An odd ` and **bold** \ue0000\ue001.", "An odd ` and bold 0\ue001."),
    ],
)
def test_code_and_formulas_keep_their_marks(text: str, sentence: str) -> None:
    assert split_sentences(text) == [sentence]


def test_code_inside_an_item_stays_a_block_of_code() -> None:
    """With its lines; what stands after it goes on in the item, and a mark of a list in it opens no item."""
    code = ("```shell", "if a", "then", "  b", "* fi", "```")
    inside = (
        "- **if**: ends with `fi`:",
        "",
        *(f"    {line}" for line in code),
        "",
        "    So it goes.",
        "- case",
    )
    shown = escape_unit(UnitKind.LIST, "\n".join(inside))
    blocks = [f"  {line}" for line in (*code, "So it goes.")]
    assert shown.splitlines() == ["- if: ends with `fi`:", *blocks, "- case"]
    page = as_shown(shown)
    assert page.count("<li>") == 2
    assert '<code class="language-shell">if a\nthen\n  b\n* fi\n</code>' in page


@given(st.text(alphabet="`~-* ab1.\n<", max_size=60))
def test_no_code_in_an_item_becomes_active(text: str) -> None:
    shown = as_shown(escape_unit(UnitKind.LIST, f"- a\n  ```\n  {text}"))
    assert set(re.findall(r"<(\w+)", shown)) <= {"ul", "ol", "li", "p", "pre", "code"}
