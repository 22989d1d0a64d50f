"""HTML in answers of a FAQ becomes Markdown when they are imported."""

from __future__ import annotations

import io
import json

import pytest

from knowledge.sources.readers import read_faq_table


def imported(answer: str) -> str:
    line = json.dumps({"question": "q", "answer": answer})
    table = read_faq_table(io.BytesIO(line.encode()), path="a.jsonl")
    return table.rows[0].draft.answer


@pytest.mark.parametrize(
    ("answer", "markdown"),
    [
        (
            '<P>Open <a href="https://x.example/a">it</a>,\nchoose <b>13</b>.</P><p>Then&nbsp;go.',
            "Open [it](https://x.example/a), choose **13**.\n\nThen go.",
        ),
        ("<ol><li>one<ul><li><i>in</i></li></ul></li><li>two</li></ol>", "1. one\n   - *in*\n2. two"),
        ("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c"),
        (
            "<table border=1><caption>T</caption><tr><th rowspan='2'>D</th><td colspan=2>x|y</td></tr>"
            "<tr><td>1<td>2</tr></table>",
            "T\n\n| D | x\\|y | x\\|y |\n| --- | --- | --- |\n| D | 1 | 2 |",
        ),
        ("<pre>a\n\n  b</pre>run <code>a&lt;b</code>", "```\na\n\n  b\n```\n\nrun `a<b`"),
        ("<b>Note:</b> x<sup>2</sup> < 3\n- H<sub>2</sub>O<br>end", "**Note:** x² < 3\n- H₂O  \nend"),
        (
            "x<sup>k</sup>, x<sup><i>n+1</i></sup>, a<sub>ij</sub>, a<sub>k,1</sub>, the 1<sup>st</sup>",
            "x^k, xⁿ⁺¹, aᵢⱼ, a_(k,1), the 1st",
        ),
        ('said<sup><a href="https://x.example/1">[1]</a></sup>', "said[[1]](https://x.example/1)"),
        ("<p>a</p><table><tr></tr></table>", "a"),
        ("<p>if a<b and b > c</p>", "if a<b and b > c"),
        ("<p>the tag &lt;b&gt;</p>", "the tag &lt;b>"),
        ("<p>kept<del> struck</del><script>x()</script></p>", "kept"),
        ('<p><a href="javascript:x()">go</a><img src="https://x.example/m.png" alt="map"></p>',
         "go[map](https://x.example/m.png)"),
    ],
)  # fmt: skip
def test_known_tags_become_markdown(answer: str, markdown: str) -> None:
    assert imported(answer) == markdown
    assert imported(markdown) == markdown


@pytest.mark.parametrize(
    "answer",
    [
        "When a < b and b > c, the rule &lt;3&gt; applies.",
        "Paragraphs begin with the <p> tag.",
        "Write `<b>x</b>`:\n\n```html\n<p>x</p>\n```",
        "vector<int> v; for (i=0; i<n; i++) { if a>b }",
    ],
)
def test_an_answer_that_holds_no_html_stays_as_it_is(answer: str) -> None:
    assert imported(answer) == answer


def test_elements_that_are_nested_too_deeply_leave_their_row_out() -> None:
    rows = [{"question": "q", "answer": "<div>" * 3000 + "</div>"}, {"question": "r", "answer": "<p>a</p>"}]
    lines = "\n".join(map(json.dumps, rows))
    table = read_faq_table(io.BytesIO(lines.encode()), path="a.jsonl")
    assert [row.row for row in table.rows] == [2]
    assert "nested too deeply" in table.rejected[0].reason
