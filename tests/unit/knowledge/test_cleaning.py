"""What is no text of a course: marks of book and site tools, contents, menus, music."""

from __future__ import annotations

import pytest

from knowledge.chunking import LONGEST_PASSAGE, split
from knowledge.sources.markdown import read_markdown
from knowledge.sources.subtitles import read_subtitles
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.answers import Block
from vta.types.courses import Course, CourseId
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

COURSE = Course(id=CourseId("c"), name="C", domains=(), language=Language.EN)


def text_of(markdown: str) -> str:
    return "\n\n".join(block.text for block in read_markdown(markdown, path="a.md").blocks)


def test_a_formula_within_a_formula_leaves_the_prose_behind_it_prose() -> None:
    """A sum of money that begins like one opens none either."""
    formula = "$$f = \\text{1 if $x$ is odd}$$"
    text = text_of(f"It pays \\$$1--2 for {formula}.\n\nNext _comes_ $$y$$, and the _last_ one")
    assert formula in text
    assert "Next comes $y$, and the last one" in text


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# 七\n\n目录\n\n7.1 堆\n\n7.2 栈\n7.3 队列\n\n## 7.1 堆\nx\n\n## 7.2 栈\n\n## 7.3 队列", "x"),
        ("# A\n\nB\nis a heading\n\n## B\n\nx", "B\nis a heading\n\nx"),
        ("In :numref:`sec_attention-pooling`, we use", "In “attention pooling”, we use"),
        ("as shown in :numref:`fig_out` and :eqref:`eq_soft`.", "as shown in the figure and the equation."),
        ("It adds. :numref:`fig_out` shows it.", "It adds. The figure shows it."),
        ("so ![[公式]](https://www.zhihu.com/equation?tex=x%5E2) holds", "so $x^2$ holds"),
        ("结果如 :numref:`fig_out` 所示，注意它的方向。", "结果如 图 所示，注意它的方向。"),
        ("used in Transformers :cite:`Vas.Sha.ea.2017`.", "used in Transformers."),
        ("as :citet:`Vas.Sha.Par.ea.2017` say", "as Vas et al. (2017) say"),
        ("as {eq}`ar1` of {cite}`sims2001very`", "as the equation of Sims (2001)"),
        ("see {numref}`gdp_fig2`, {numref}`big_plan`.", "see the figure, big plan."),
        ("by [](eq:x), [](total_cost) and [](#top)[](a.md)so", "by the equation, total cost and so"),
        ("## A\n\n$$\nq\n=\n- x\n+ 2. y\n$$\n\nso", "$$\nq = - x + 2. y\n$$\n\nso"),
        ("## A\n\n$$\n9\\%\n- x\n$$\n\nso", "$$\n9\\% - x\n$$\n\nso"),
        ("## A\n\n```{math}\nq\n=\nx\n```\n\nso", "$$\nq =\nx\n$$\n\nso"),
        ('<center><img src="a.png"/></center>\n<center>图 1.2 栈</center>\n\n图 1.2 是栈。', "图 1.2 是栈。"),
        ("图12 栈的结构\n\n图 1 展示了栈，栈顶在上", "图 1 展示了栈，栈顶在上"),
        ("图12\n\n图 3 中，共有两层", "图 3 中，共有两层"),
        ("Fig. 2 A stack\n\nFigure 12 shows $x$", "Figure 12 shows $x$"),
        ("![](a.png)\n\n**Figure 3:** The stack.\n\nFigure 3 shows a stack.", "Figure 3 shows a stack."),
        ("use $$ or `$$PATH` in make", "use $$ or `$$PATH` in make"),
        ("my id is $$ and yours is $$", "my id is $$ and yours is $$"),
        ("both $$(shell x) and $$HOME", "both $$(shell x) and $$HOME"),
        ("so $$ O(n) $$ holds", "so $O(n)$ holds"),
        ("a <img alt='a > b' src=x>picture <b title=\"x>of</b> it", "a picture of it"),
        ("A title\n:label:`sec_a`\n\nx", "A title\n\nx"),
        ("{ref}`the stack <stack-label>` and {term}`queue`", "the stack and queue"),
        ("call :func:`torch.nn.Linear` now", "call `torch.nn.Linear` now"),
        ("(label)=\n\nx", "x"),
        ("[**the marked words**] and (**these (too)**) stay", "the marked words and these (too) stay"),
        (":begin_tab:`mxnet`\nm\n:end_tab:\n\n:begin_tab:`pytorch`\np\n:end_tab:", "p"),
        ("```{.python}\n%%tab mxnet\nm\n```\n\n```{.python}\n%%tab pytorch\np\n```", "```python\np\n```"),
        ("```{.python .input}\n%%tab all\nx\n```", "```python\nx\n```"),
        ("```{note} Mind\n:class: tip\nthe step\n```", "Mind\n\nthe step"),
        ("```{toctree}\na\nb\n```\n\nx", "x"),
        ("a\n\n+++\n\nb\n\n+++ {\"tags\": []}\n\nc", "a\n\nb\n\nc"),
        ("```{code-cell} ipython3\n:tags: [remove-cell]\nfrom preamble import *\n```\n\nx", "x"),
        ("```{code-cell}\n---\ntags: [\"remove-input\"]\n---\nx = 1\n```\n\nx", "x"),
        ("about {glue:text}`share`% of them", "about …% of them"),
        (":::{glue:figure} fig:06-knn\n:name: fig:06-knn\n\nNew points.\n:::", "New points."),
        ("```{glue:figure} fig:06-knn\nNew points.\n```", "New points."),
        ("as in {numref}`fig:06-knn`.", "as in the figure."),
        ('```{r solution}\n#| label: the-solution\nx <- 1\n```', '```r\nx <- 1\n```'),
        ("```{code-cell} python\n:tags: [hide]\nx = 1\n```", "```python\nx = 1\n```"),
        ('!!! note "Mind"\n\n    the step\n\nx', "Mind\n\nthe step\n\nx"),
        (
            '- a\n\n    ??? note "Mind"\n        the step\n\n        ```c\n        x;\n        ```\n\n    b',
            "- a\n\n\n    Mind\n\n    the step\n\n    ```c\n    x;\n    ```\n\n\n    b",
        ),
        ('so:\n\n    !!! note "raw"\n        x', 'so:\n\n    !!! note "raw"\n        x'),
        ('=== "C"\n\n    ```c\n    c\n    ```\n\n=== "Python"\n\n    ```\n    p\n    ```\n', "```\np\n```"),
        ('=== "Windows"\n\n    press A\n\n=== "Linux"\n\n    B\n', "Windows\n\npress A\n\nLinux\n\nB"),
        (":::tip Mind\nthe step\n:::", "Mind\nthe step"),
        ("heap\n:   a tree\n\nstack\n\n:   a\n    list\n", "- **heap**: a tree\n\n- **stack**: a\n    list"),
        ("heap\n: a tree\n: a place\n", "- **heap**: a tree\n- a place"),
        ("Two lines\nof text\n: no definition", "Two lines\nof text\n: no definition"),
        ("```\nx\n: y\n```", "```\nx\n: y\n```"),
        ("| a |\n|---|\n| 1 |\n\n: A caption", "| a |\n|---|\n| 1 |\n\n: A caption"),
        ("::: {.callout-note}\nthe step\n:::", "the step"),
        ("::::: objectives\n\n- Explain x.\n\n:::::::\n\n::: questions\n- What is x?\n:::\n\nx", "x"),
        ("::: keypoints\n- x is\n:::\n\n::: objectives\nhas no end", "- x is\n\nhas no end"),
        ("{% include nav.html %}\nx {{ site.title }}{: .red}", "x"),
        ('{{< youtube id="a" >}}\n\nx', "x"),
        ('{% hint style="info" %}\nmind\n{% endhint %}', "mind"),
        ("{{#include a.rs}}\n\nx", "x"),
        ("+++\ntitle = \"T\"\n+++\n\nx", "x"),
        ('!!! tip "press <kbd>Ctrl</kbd> + C"\n\n    then x', "press Ctrl + C\n\nthen x"),
        ("[![build](https://b.example/a.svg)](https://b.example)\n\nx", "x"),
        ("before ![a picture of a tree](tree.png) after", "before  after"),
        ('<p align="center">\n  <img src="a.png" alt="a">\n  words\n</p>', "words"),
        ("a<br>b <kbd>Ctrl</kbd> <!-- hidden --> c", "a  \nb Ctrl  c"),
        ("借：现金 5<br>&emsp;&emsp;贷：收入 5", "借：现金 5  \n\u2003\u2003贷：收入 5"),
        ("- a<br>b\n- c", "- a  \n  b\n- c"),
        ("| a | b |\n|---|---|\n| x<br>y | 1 \\| 2 |", "| a | b |\n|---|---|\n| x y | 1 \\| 2 |"),
        ("&copy; R&amp;D&nbsp;&lt; &amp;emsp;x, AT&T, a&shy;b, &nosuch;", "© R&D < x, AT&T, ab, &nosuch;"),
        ("单价 \\* 数量 m\\*n, a\\_b 1\\. \\[2\\]", "单价 * 数量 m * n, a_b 1. [2]"),
        ("C\\+\\+ from \\$5 to \\$6", "C++ from $5 to $6"),
        ("\\*no\\* \\# one \\`x\\` \\$a in $b$", "＊no＊ # one ｀x｀ ＄a in $b$"),
        ("\\# no heading", "＃ no heading"),
        ("we ~~can~~ go\n\n- ~~done~~\n- open", "we go\n\n- open"),
        ("see <https://a.example/b_(c)>", "see [https://a.example/b_(c)](https://a.example/b_%28c%29)"),
        ("or <x@y.example>", "or [x@y.example](mailto:x@y.example)"),
        (":warning: look :+1: at 10:30: and a::b", "look at 10:30: and a::b"),
        ("股东权益^[1]^ and the 10^th^ of 2^3^", "股东权益 and the 10th of 2³"),
        ("\uf0b7 one\n\uf0a7two \ue123x", "- one\n- two x"),
        ("> a\n> > b\nlazy\n>\n> - i\n\nend", "a\n\nb\nlazy\n\n- i\n\nend"),
        ("> [!NOTE]\n> ## H\n> x > y", "H\nx > y"),
        ("> | a | b |\n> |---|---|\n> | 1 | 2 |\nend", "| a | b |\n|---|---|\n| 1 | 2 |\n\nend"),
        ("> ```c\n> # x > y\n> ```", "```c\n# x > y\n```"),
        ("- a\n  > b\n  > c", "- a\n  b\n  c"),
        ("so \\(x_1 = 2\\) in f\\(x\\)", "so $x_1 = 2$ in f(x)"),
        ("```{r}\n#| label: a\nx\n```", "```r\nx\n```"),
        ("```{r, include=FALSE}\nx\n```\n\n```{python}\n#| echo: false\ny\n```\n\nz", "z"),
        ("see [the notes](../a/notes.md#top) and [the paper](https://a.example/p)", "see the notes and [the paper](https://a.example/p)"),
        ("see [the notes][n] for the proof\n\n[n]: notes.md", "see the notes for the proof"),
        ("by [the notes][n]: so\n\n[n]: https://a.org/b", "by [the notes](https://a.org/b): so"),
        ("a claim[^1]\n\n[^1]: the reason", "a claim\n\nthe reason"),
        ("this is *single* and **double** and ***three***", "this is *single* and **double** and **three**"),
        ("[TOC]\n\nx", "x"),
        ("A [[Page table|table]] maps [[Frame]]s, see [[Memory#Paging]], [[#Top]] and [[TLB#^b]]",
         "A table maps Frames, see Memory > Paging, Top and TLB"),
        ("Seen.\n\n![[page.png|300]]\n\nx ![[TLB#Summary]]", "Seen.\n\nx"),
        ("Seen. %%ask this in the exam%% Also.\n\n%%\nfor me\n%%\n\n50%% and 60%% of it",
         "Seen.  Also.\n\n50%% and 60%% of it"),
        ("the ==dirty bit== and a==b or c == d ^block-1\n\nx ^2", "the dirty bit and a==b or c == d\n\nx ^2"),
        ("```dataview\nLIST\n```\n\nNow `= this.file.name`x", "Now x"),
        ("Said.^[Why.]", "Said. (Why.)"),
        ("df[[0]] and [[1, 2], [3, 4]]", "df[[0]] and [[1, 2], [3, 4]]"),
        ("H<sub>2</sub>O, x^2^, H~2~O, 2<sup>k</sup>, n<sup><a href=\"#f\">1</a></sup>",
         "H₂O, x², H₂O, 2^k, n"),
        ("?> Mind this.\n\n!> And this.", "Mind this.\n\nAnd this."),
        ('按 ++"F1"++、++ctrl+page-up++ in C++17 and C++', "按 F1、Ctrl+Page Up in C++17 and C++"),
        ("The [:material-school: notes](https://a.org) :octicons-x-16:{ .ok } are all here",
         "The [notes](https://a.org) are all here"),
        ("**[Air]{#air}** is [really]{.underline} f[x]{}", "**Air** is really f[x]{}"),
        ("run <code class='x'>a | b</code>, <code>&lt;p&gt;</code>", "run `a | b`, <p>"),
        ('a <img src="a.png" alt="x > y"> b', "a  b"),
        (f"a ![x](data:image/png;base64,{'A' * 3000}) b <img src='data:{'A' * 3000}'>", "a  b"),
        ('{{< figure\n  src="a.png"\n>}}\n\nx', "x"),
        ("- a\n\n  > [!NOTE]\n  > b", "- a\n\n  \n  b"),
        ('!!! note "The "heap" and <b id="b">more</b>"\n    x', 'The "heap" and more\n\nx'),
        ("see {doc}`the last\nlecture <last>`, `{n}` for `{n,}`", "see the last\nlecture, `{n}` for `{n,}`"),
        ("Send $$n$$ units, $$m$$\n\n- $$x$$\n\n(**$$y$$**)", "Send $n$ units, $m$\n\n- $$x$$\n\n$$y$$"),
        ("So\n$$\na\n=\nb\n- c\n-d\n$$", "So\n$$\na =\nb - c\n-d\n$$"),
        ("then _ask it for\ncontext_ and _go_\n\n_on", "then ask it for\ncontext and go\n\n_on"),
        ("A claim [@sims2001; @ar1].", "A claim."),
        ("```rust,editable\n# // (c)\n#\n#[derive(Debug)]\nlet x; # y\n  # z\n{{#include a.rs}}\n```\n\n"
         "```python\n# a comment\n```\n\n```c\n{{#include b.c}}\n```",
         "```rust,editable\n#[derive(Debug)]\nlet x; # y\n```\n\n```python\n# a comment\n```"),
        ("```html\n{{#each them}}\n{{/each}}\n```", "```html\n{{#each them}}\n{{/each}}\n```"),
        ('```{r map, echo=FALSE, fig.cap="By `sf`."}\n# no heading\n```\n\nx', "x"),
    ],
)  # fmt: skip
def test_marks_of_book_and_site_tools_are_no_text(markdown, expected):
    """Their words stay, what they point to is named in words, and one of several tabs is kept."""
    assert text_of(markdown).strip() == expected


def test_what_code_in_a_sentence_gives_is_not_known() -> None:
    """R Markdown and Quarto run it, and set a formula off even in a sentence."""
    text = "A mean of `r mean(x)` or `{python} y` in `x`, so $$z$$ is."
    assert read_markdown(text, path="a.Rmd").blocks[0].text == "A mean of … or … in `x`, so $$z$$ is."
    assert "`r mean(x)`" in text_of(text)


def test_the_index_and_the_references_of_bookdown_are_words() -> None:
    """Their numbers are not in the file."""
    text = (
        "The **sp**\\index{sp (package)|see {sf}} of Figure \\@ref(fig:old)(B) and Section \\@ref(crs-in-r), "
        "`\\@ref(x)`.\nTable \\@ref(tab:t) has it."
    )
    said = "The **sp** of the figure(B) and “crs in r”, `\\@ref(x)`.\nThe table has it."
    assert read_markdown(text, path="a.Rmd").blocks[0].text == said
    assert "index{sp" in text_of(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("See \\@ref(fig:a). In \\@ref(crs) it is.", "See the figure. In “crs” it is."),
        ("见图 \\@ref(fig:a)，表\\@ref(tab:t)和第 \\@ref(crs) 章。", "见图，表和该节。"),
        ("Write `\\index{a}`.", "Write `\\index{a}`."),
    ],
)
def test_words_beside_a_reference_of_bookdown_stay_unless_they_say_its_kind(text: str, said: str) -> None:
    assert read_markdown(text, path="a.Rmd").blocks[0].text == said


@pytest.mark.parametrize(
    "box",
    [
        "<details><summary>May <b>I</b> go?</summary>Yes.</details>",
        "<details>\n<summary>May I go?</summary>\n\nYes.\n\n</details>",
        '??? question "May I go?"\n\n    Yes.',
        '!!! question "May I go?"\n    Yes.',
        "```{dropdown} May I go?\nYes.\n```",
    ],
)
def test_a_question_that_opens_at_a_click_is_the_heading_of_its_answer(box):
    """What comes after the box stands under the heading before it again."""
    document = read_markdown(f"## Exam\n\nOn Monday.\n\n{box}\n\nIn room 1.", path="a.md")
    assert [(block.locator.heading_path, block.text) for block in document.blocks] == [
        (("Exam",), "On Monday."),
        (("Exam", "May I go?"), "Yes."),
        (("Exam",), "In room 1."),
    ]


@pytest.mark.parametrize(
    "solution",
    [
        "```{solution-start} ex_1\n:class: dropdown\n```\n\nYes.\n\n```{solution-end}\n```",
        "````{solution} ex_1\nYes.\n````",
    ],
)
def test_a_solution_of_sphinx_is_a_part_of_its_own(solution):
    """Its argument names the exercise by a label, which no reader sees."""
    blocks = read_markdown(f"## Exercises\n\nTry.\n\n{solution}\n\nTry again.", path="a.md").blocks
    assert [(block.locator.heading_path[1:], block.text) for block in blocks] == [
        ((), "Try."),
        (("Solution",), "Yes."),
        ((), "Try again."),
    ]


@pytest.mark.parametrize(
    ("draft", "shown"),
    [
        ("---\ndraft: true\n---\n", "---\ndraft: false\n---\n"),
        ("+++\ndraft = true\n+++\n", "+++\ndraft = false\n+++\n"),
        ("---\npublished: false\n---\n", "---\npublished: true\n---\n"),
    ],
)
def test_a_page_that_its_site_does_not_show_is_refused(draft, shown):
    with pytest.raises(InvalidInput, match="not open to all"):
        read_markdown(f"{draft}\nx", path="notes/a.md")
    assert read_markdown(f"{shown}\nx", path="a.md").blocks


def test_a_box_in_a_list_stays_in_its_item():
    listed = "- one\n  <details><summary>Why?</summary>Because.</details>\n- two"
    (block,) = read_markdown(listed, path="a.md").blocks
    assert block.text == "- one\nWhy? Because.\n- two"


@pytest.mark.parametrize(
    "verbatim",
    [
        "```python\nx = a[0](b) * c * d  # *not* [a](link) <b> {{ y }} :label:`z`\n```",
        "    indented *code* [x](y.md)",
        "the call `f(*args, **kwargs)` and `a[i][j]`, `<b>`, `![x](y)`",
        "the sum $a*b*c + x_i^{*} \\in [0](1)$ and more",
        "$$\na_{i} * b_{j} * c\n$$",
        "| a | b |\n|---|---|\n| `*x*` | 2 * 3 * 4 |",
        "- one\n- two\n  - three\n- four",
        "1. first\n2. second",
        "the list vector<int> with a < b and c > d, 2 * 3 * 4, snake_case_name, x[0][1]",
        "```html\n&emsp; <br> \\* ~~a~~ :smile: \uf0b7\n> x\n```",
        "the call `a&emsp;\\*<br>` and $a\\_b \\& c&lt;$ and \\[a\\_b\\]\n\n$$\\{x\\}$$",
        "a paragraph with [a page](https://a.example/x) and an e-mail a@b.example",
    ],
)
def test_code_formulas_tables_and_lists_survive_as_they_are(verbatim):
    assert text_of(f"# T\n\n{verbatim}\n") == verbatim


@pytest.mark.parametrize(
    "navigation",
    [
        "## 本节目录\n\n- [1. 概述](#1-概述)\n  - [1.1 动机](#11-动机)",
        "## Navigation\n\n* [The course](../)\n* Previous: [Queues](q.md)\n* Next: [Trees](t.md)",
        "- 5.1 [Intro](01.md)\n- 5.2 [Saving a model](02.md)",
        "- One\n- Two\n- Three\n\n## One\n\nx\n\n## Two\n\nx\n\n## 3 Three",
        "[Previous](a.md) | [Next](b.md)",
        "[Edit this page](https://git.example/a.md)",
        ":begin_tab:`pytorch`\n[Discussions](https://forum.example/1)\n:end_tab:",
    ],
)
def test_contents_and_menus_are_left_out(navigation):
    assert set(text_of(f"# T\n\n{navigation}\n\n## End\n\nx").split()) == {"x"}


@pytest.mark.parametrize(
    "kept",
    [
        "- [A paper](https://a.example/1)\n- [Another](https://a.example/2)",
        "- Read [the notes](n.md) before the second week of the course\n- Hand in the exercise",
        "## Navigation\n\nA robot finds its way by a map and by what its wheels report.",
        "## 目录\n\n- [一](#一)\n- 本节先介绍处理器以外的几种芯片，再比较它们的带宽和适用的场合",
    ],
)
def test_sentences_and_links_to_the_outside_stay(kept):
    """A list that leads out of the course is a source; a sentence below "Contents" is text."""
    assert text_of(f"# T\n\n{kept}").strip()


def test_a_heading_is_its_words():
    """Brackets, anchors, links, escapes and attributes are not in it; the front matter's title goes first."""
    found = read_markdown(
        "## [**Dot Product** Attention]\n:label:`sec_a`\n\nx\n\n## [B](b.md) {#b}\n\ny\n\n## C {-}\n\nz",
        path="a.md",
    )
    assert [block.locator.heading_path for block in found.blocks] == [
        ("Dot Product Attention",),
        ("B",),
        ("C",),
    ]
    assert read_markdown('---\ntitle: "The stack"\n---\n\n# Why\n\nx', path="a.md").title == "The stack"
    assert read_markdown("# \\*A\\_b&emsp;&lt;c\n\nx", path="a.md").title == "*A_b <c"


@pytest.mark.parametrize(
    ("text", "title", "shown"),
    [
        ("title: The stack\nauthors: Ann, Bob\n   Carol\n\nIt grows.", "The stack", ["It grows."]),
        ("authors: Ann\n\n## Why\n\nIt grows.", "Why", ["It grows."]),
        ("Office hours: Monday\n\nIt grows.", "a", ["Office hours: Monday", "It grows."]),
        ("due: Monday\nBring a pen.\n\nIt grows.", "a", ["due: Monday\nBring a pen.", "It grows."]),
        ("due: Monday\n\nIt grows.", "a", ["due: Monday", "It grows."]),
    ],
)
def test_fields_up_to_the_first_blank_line_are_front_matter(text: str, title: str, shown: list[str]) -> None:
    found = read_markdown(text, path="a.md")
    assert (found.title, [block.text for block in found.blocks]) == (title, shown)


def test_music_and_speakers_are_no_speech():
    srt = (
        "1\n00:00:01,000 --> 00:00:02,000\n♪ la la ♪\n\n"
        "2\n00:00:03,000 --> 00:00:04,000\n[Music]\n>> PROFESSOR: Now (a) holds.\n\n"
        "3\n00:00:05,000 --> 00:00:06,000\n【掌声】谢谢。\n"
    )
    assert [block.text for block in read_subtitles(srt, path="a.srt").blocks] == ["Now (a) holds.", "谢谢。"]


def passages(*texts: str) -> list[str]:
    blocks = tuple(Block(text=text, locator=Locator(heading_path=("A",))) for text in texts)
    return [
        pair.answer for pair in split(SourceDocument(path="a.md", title="A", blocks=blocks), course=COURSE)
    ]


def test_a_long_block_of_code_becomes_blocks_of_code():
    """Each piece opens and closes its fence, and nothing of the code is lost."""
    code = "\n".join(f"def f{n}():\n    return {n}" for n in range(100))
    found = passages(f"```python\n{code}\n```")
    assert len(found) > 1
    assert all(each.startswith("```python\ndef ") and each.endswith("\n```") for each in found)
    assert all(len(each) <= LONGEST_PASSAGE for each in found)
    assert "\n".join(each.removeprefix("```python\n").removesuffix("\n```") for each in found) == code


def test_a_long_table_keeps_its_head_in_every_piece():
    rows = [f"| {n} | {n * n} |" for n in range(200)]
    found = passages("| n | square |\n|---|---|\n" + "\n".join(rows))
    assert all(each.startswith("| n | square |\n|---|---|\n") for each in found)
    assert [row for each in found for row in each.split("\n")[2:]] == rows


def test_code_and_formulas_in_a_long_list_are_not_cut():
    """A list that is too long is cut beside them."""
    item = "- Step:\n\n  ```python\n" + "  x = 1\n" * 20 + "  ```\n\n  $$\n  a = b\n  $$\n"
    found = passages(item * 12)
    assert len(found) > 1
    assert all(each.count("```") % 2 == 0 and each.count("$$") % 2 == 0 for each in found)


@pytest.mark.parametrize("mark", ["$$", "```"])
@pytest.mark.parametrize("opens", ["", "- "])
def test_code_and_formulas_in_a_long_text_are_not_cut(opens: str, mark: str) -> None:
    """Wherever they stand in it; a mark that stands alone is text."""
    lines, said = "".join(f"  A_{n} = B\n" for n in range(12)), "Here is what it says. "
    for before in range(36, 46):
        found = passages(f"{opens}{said * before}\n  {mark}\n{lines}  {mark}\n  {said * 30}")
        assert all(each.count(mark) % 2 == 0 for each in found)
    alone = passages(f"{opens}It costs {mark} now. {said * 90}")
    assert all(each.rstrip().endswith("it says.") for each in alone)


def test_a_table_in_a_long_item_is_not_cut() -> None:
    """Its rows say nothing without its head."""
    table = "  | a | b |\n  |---|---|\n" + "".join(f"  | X{n} | some |\n" for n in range(12))
    said = "Here is what it says. "
    for before in range(28, 44):
        found = passages(f"- {said * before}\n\n{table}\n  {said * 30}")
        assert [each.count("| X") for each in found if "| X" in each] == [12]


def test_what_ends_with_a_colon_stays_with_what_follows():
    """The line before a block of code goes into its passage."""
    code = "```\n" + "x = 1\n" * 150 + "```"
    assert passages("a" * 200, "The loop:", code) == ["a" * 200, f"The loop:\n\n{code}"]


def test_a_passage_is_ranked_by_headings_that_say_something():
    """`Notes` in the path becomes the title of the document; the place names all headings."""
    blocks = tuple(
        Block(text="x", locator=Locator(heading_path=path))
        for path in [("Notes",), ("Notes", "ROC curve"), ("4.5 ROC", "Curve"), ("4.5 ROC", "小结")]
    )
    pairs = split(SourceDocument(path="a.md", title="4.5 ROC", blocks=blocks), course=COURSE)
    assert [pair.question for pair in pairs] == [
        "4.5 ROC",
        "4.5 ROC > ROC curve",
        "4.5 ROC > Curve",
        "4.5 ROC",
    ]
    assert pairs[0].locator.heading_path == ("Notes",)
