"""Laws of reading: chunking, subtitles, tokens, and what any bytes may do to a reader."""

from __future__ import annotations

import html
import io
import json
import re
from dataclasses import fields

import pysubs2
import pytest
from examples import examples
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from knowledge.chunking import LONGEST_PASSAGE, LONGEST_SPEECH, split
from knowledge.index.tokens import pair_from_json, pair_to_json
from knowledge.sources.course_export import transcript_cues
from knowledge.sources.markdown import read_markdown
from knowledge.sources.readers import FaqReader, MaterialReader
from knowledge.sources.subtitles import read_subtitles, sentences, spoken_length
from knowledge.sources.text import read_text
from knowledge.sources.web_page import read_html
from vta.errors import InvalidInput
from vta.languages import Language
from vta.text import HAN, Analyser, normalise
from vta.types.answers import Block
from vta.types.courses import Course, CourseId
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator, QAPair, Source

COURSE = Course(id=CourseId("c"), name="C", domains=("计算机",), language=Language.ZH)
ANALYSER = Analyser(["二叉搜索树"])
Analyser(["线性表"])  # so that the next one makes its dictionary anew
AGAIN = Analyser(["二叉搜索树"])

characters = st.characters(exclude_categories=["Cs"])
texts = st.text(st.one_of(st.sampled_from("栈表。！？. \n\tab"), characters), max_size=400)
long_texts = st.lists(texts, max_size=20).map("".join)
paths = st.lists(st.sampled_from(["Stack", "队列"]), max_size=2).map(tuple)
places = st.one_of(
    st.builds(Locator, heading_path=paths),
    st.builds(Locator, video=st.just("v.srt"), start_s=st.floats(0, 9), end_s=st.floats(9, 20)),
)
blocks = st.builds(Block, text=long_texts, locator=places)


def visible(text: str) -> str:
    return "".join(text.split())


@given(st.lists(blocks, max_size=8))
@example([Block(text=" " * 3000 + "x", locator=Locator())])
@example([Block(text="栈" * 3001 + "\n" * 999, locator=Locator())])
def test_chunking_loses_nothing_and_keeps_length_and_place(blocks):
    """No character but white space is lost or moved, no passage is blank, too long or of two places."""
    document = SourceDocument(path="a.md", title="A", blocks=tuple(blocks))
    pairs = split(document, course=COURSE)
    assert visible("".join(pair.answer for pair in pairs)) == visible("".join(b.text for b in blocks))
    known = {(b.locator.heading_path, b.locator.video) for b in blocks}
    for pair in pairs:
        assert (pair.locator.heading_path, pair.locator.video) in known
        spoken = pair.locator.video is not None
        longest = max(LONGEST_SPEECH, 3 * LONGEST_PASSAGE) if spoken else LONGEST_PASSAGE
        assert pair.answer.strip()
        assert (spoken_length if spoken else len)(pair.answer) <= longest
    assert len({pair.id for pair in pairs}) == len(pairs)


MARKS = (
    "&emsp; &nbsp; &ge; &amp; &copy; &#42; &#x3e; &amp;nbsp; \\* \\_ \\# \\- \\> \\$ \\` \\! \\~ \\+ \\. "
    "<br> <br/> <kbd> </kbd> <https://a.example/b> ^[1]^ \uf0b7"
).split()
AROUND = (
    " :smile: ",
    " ~~x~~ ",
    "a",
    "栈",
    "1",
    " ",
    "\n",
    "\n\n",
    "\n- ",
    "\n> ",
    "\n1. ",
    ". ",
    "**b**",
    "[c](https://c.example)",
    "# ",
)
VERBATIM = ("\n\n```\n&emsp;\\*<br>\n```\n\n", "`&emsp;\\*`", " $a\\_b&lt;c$ ")
LEFT = re.compile(
    r"&(?:#\w+|emsp|nbsp|ge|amp|copy);|\\[*_#>$`!~+.-]|</?(?:br|kbd)\b|~~x|<https:|:smile:|\^\[1|[\ue000-\uf8ff]|[\U000f0000-\U000fffff]"
)


@given(st.lists(st.sampled_from((*MARKS, *AROUND, *VERBATIM)), max_size=30).map("".join))
@example("a\n> &emsp;\\*\n`&emsp;\\*` <br>")
def test_no_mark_is_left_in_what_is_read(text):
    """No entity, escape, tag, struck text or sign of a font is in a passage, but in code and formulas."""
    text = re.sub(" {2,}", " ", text)  # four blanks would begin code
    for pair in split(read_markdown(text, path="a.md"), course=COURSE):
        shown = f"{pair.question}\n{pair.answer}"
        for verbatim in VERBATIM:
            shown = shown.replace(verbatim.strip("` \n"), "")
        assert not LEFT.search(shown)


lines = st.text(st.sampled_from("栈是abc {}[]&x1,/'"), min_size=1, max_size=30).map(
    lambda text: " ".join(text.split())
)
spoken = lines.filter(lambda text: text and not text.isdigit())


@given(st.lists(st.tuples(st.integers(0, 5_000_000), st.integers(1, 9_000), spoken), min_size=1, max_size=12))
@pytest.mark.parametrize("kind", ["srt", "vtt"])
def test_subtitles_written_by_another_program_are_read_back(kind, cues):
    """Times to the millisecond and every word of a file written by pysubs2, each cue a sentence."""
    written = pysubs2.SSAFile()
    for start, length, text in sorted(cues, key=lambda cue: cue[0]):
        line = pysubs2.SSAEvent(start=start, end=start + length, text=text + "。")
        written.append(line)
    text = written.to_string(kind)
    found = read_subtitles(text, path=f"v.{kind}").blocks
    # pysubs2 takes {...} as its own markup and does not write it, so the comparison is with its plain text
    assert [b.text for b in found] == [" ".join(line.plaintext.split()) for line in written]
    assert [b.locator.start_s for b in found] == [line.start / 1000 for line in written]
    assert [b.locator.end_s for b in found] == [line.end / 1000 for line in written]


@given(texts)
def test_normalising_twice_changes_nothing(text):
    """The form in which texts are compared is its own form."""
    assert normalise(normalise(text)) == normalise(text)


@given(texts)
def test_tokens_are_the_same_every_time(text):
    """Equal dictionaries give equal tokens, from raw and from normalised text alike."""
    assert AGAIN.fingerprint == ANALYSER.fingerprint
    for tokens in ("words", "grams", "content_words", "content_grams"):
        found = getattr(ANALYSER, tokens)(text)
        assert getattr(AGAIN, tokens)(text) == found
        assert getattr(ANALYSER, tokens)(normalise(text)) == found


@given(texts)
@example("\U0002ebe1")
def test_no_token_holds_white_space(text):
    """Tokens are joined by spaces for the index, so none may hold one or be empty; every word gives one.

    A Chinese character is one also where Unicode has not given its place away yet.
    """
    is_word = re.compile(rf"[^\W_]|[{HAN}]").search(normalise(text)) is not None
    assert bool(ANALYSER.words(text)) == is_word
    for token in (*ANALYSER.words(text), *ANALYSER.grams(text)):
        assert token.split() == [token]


@given(long_texts)
def test_plain_text_loses_nothing(text):
    """Every character but white space, bullet signs and the signs of symbol fonts is in some paragraph."""
    found = read_text(text, path="a.txt").blocks
    signs = "[-•‣▪▫●○◦■□➢➤\ufffd\ue000-\uf8ff]"
    read = "".join(b.text for b in found)
    assert visible(re.sub(signs, "", read)) == visible(re.sub(signs, "", text))


markdown_lines = st.sampled_from(
    [
        "# Stack",
        "## 队列",
        "text",
        "- item",
        "  - deeper",
        "| a | b |",
        "|---|---|",
        "```",
        "    code",
        "",
        "",
    ]
)


@given(st.lists(markdown_lines, max_size=25))
def test_markdown_loses_no_line(lines):
    """Every line is in a block or is a heading of one of the paths, code being kept with its indents."""
    text = "\n".join(lines)
    found = read_markdown(text, path="a.md").blocks
    kept = "\n".join(b.text for b in found)
    for line in ("text", "- item", "| a | b |"):
        assert kept.count(line) == text.count(line)
    assert all(b.locator.heading_path for b in found)


@settings(deadline=None)
@given(
    st.sampled_from(
        [
            "a.md",
            "a.srt",
            "a.vtt",
            "a.txt",
            "a.csv",
            "a.jsonl",
            "a.html",
            "a.pdf",
            "a.docx",
            "a.xlsx",
            "a.tar.gz",
        ]
    ),
    st.data(),
)
def test_any_bytes_are_read_or_refused(path, data):
    """A reader gives a document whose pairs can be stored, or says what is wrong with the file."""
    kind = st.one_of(
        st.binary(max_size=200),
        texts.map(str.encode),
        st.text(st.sampled_from('0123:,.-> \n"\\{}[]question,answer\ud83d'), max_size=120).map(
            lambda text: text.encode("utf-8", "surrogatepass")
        ),
    )
    assert_read_or_refused(data.draw(kind), path)


@settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(["docx", "pptx", "xlsx", "pdf", "tar.gz", "html"]), st.data())
def test_damaged_documents_are_read_or_refused(office_files, kind, data):
    """Cut anywhere, with any bytes in any place: no error of a library reaches the caller."""
    make = {
        "docx": office_files.make_docx,
        "pptx": office_files.make_pptx,
        "xlsx": lambda: office_files.make_xlsx([["question", "answer"], ["q", "a"]]),
        "pdf": lambda: office_files.make_pdf(["one.", "two."], [("One", 0), ("Two", 1)]),
        "tar.gz": lambda: office_files.make_tar(office_files.COURSE),
        "html": lambda: b"<h1>A</h1><ul><li>x<li><p>y</ul><table><tr><td>1<td>2</table><pre>z</pre>",
    }
    whole = _made.setdefault(kind, make[kind]())
    at = data.draw(st.integers(0, len(whole) - 1))
    put = data.draw(st.binary(max_size=30))
    damaged = data.draw(
        st.sampled_from(
            [whole[:at], whole[:at] + put + whole[at + len(put) :], whole[:at] + put + whole[at:]]
        )
    )
    assert_read_or_refused(damaged, f"a.{kind}")


_made: dict[str, bytes] = {}


@given(st.lists(st.tuples(st.integers(0, 5_000_000), st.integers(1, 9_000), spoken), min_size=1, max_size=12))
def test_transcripts_of_a_course_export_are_read_back(cues):
    """Times to the millisecond and every word of the platform's own form, each cue a sentence."""
    lines = sorted(cues)
    written = {
        "start": [start for start, _, _ in lines],
        "end": [start + length for start, length, _ in lines],
        "text": [text + "。" for _, _, text in lines],
    }
    read, _ = transcript_cues(json.dumps(written), kind=".sjson", path="t")
    found = list(sentences(read, video="v", above=("A",)))
    assert [b.text for b in found] == [" ".join(text.split()) for text in written["text"]]
    assert [b.locator.start_s for b in found] == [start / 1000 for start in written["start"]]
    assert [b.locator.end_s for b in found] == [end / 1000 for end in written["end"]]
    assert {(b.locator.video, b.locator.heading_path) for b in found} == {("v", ("A",))}


words_of_pages = st.text(st.sampled_from("栈ab <>&;#\n"), max_size=20)
elements = st.recursive(
    words_of_pages.map(html.escape),
    lambda inner: st.tuples(
        st.sampled_from("p div ul li ol b em h1 h2 table tr td pre br span main article".split()),
        st.lists(inner, max_size=4),
    ).map(lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0]}>"),
    max_leaves=15,
)


@given(st.lists(elements, max_size=5).map("".join))
def test_pages_lose_no_word(page):
    """Whatever way the elements are put into one another, every letter is in a block or in a heading."""
    found = read_html(
        f"<body><i>start</i>{page.replace('main', 'div').replace('article', 'div')}", path="a.html"
    )
    headings = dict.fromkeys(b.locator.heading_path for b in found.blocks)
    text = "".join(b.text for b in found.blocks) + "".join(h for path in headings for h in path)
    said = html.unescape(re.sub("<[^>]*>", "", page))
    if not re.search(r"<h[12]>", page):
        assert text.count("栈") == said.count("栈")
        assert text.count("b") >= said.count("b")
    assert found.blocks


def assert_read_or_refused(raw: bytes, path: str) -> None:
    reader = next(
        r for r in (MaterialReader(lambda document, course: ((), ())), FaqReader()) if r.handles(path)
    )
    try:
        document = reader.read(io.BytesIO(raw), path=path, course=COURSE)
    except InvalidInput as error:
        fault: InvalidInput | None = error
    else:
        fault = None
    if fault is not None:
        assert (fault.path, fault.message.startswith(path)) == (path, True)
        return
    assert document.pairs
    for pair in document.pairs:
        assert pair_from_json(pair_to_json(pair).encode().decode()) == pair


optional = st.none() | texts
pairs = st.builds(
    QAPair,
    id=texts,
    course_id=texts,
    source=st.sampled_from(list(Source)),
    question=texts,
    answer=texts,
    domains=st.lists(texts, max_size=3).map(tuple),
    document=optional,
    locator=st.builds(
        Locator,
        heading_path=st.lists(texts, max_size=3).map(tuple),
        page=st.none() | st.integers(1, 999),
        video=optional,
        start_s=st.none() | st.floats(0, 1e6),
        end_s=st.none() | st.floats(0, 1e6),
    ),
    url=optional,
    similar_questions=st.lists(texts, max_size=3).map(tuple),
    negative_questions=st.lists(texts, max_size=3).map(tuple),
)


@given(pairs)
def test_a_pair_survives_its_json(pair):
    """Every field comes back, and the JSON is one line."""
    written = pair_to_json(pair)
    assert pair_from_json(written) == pair
    assert "\n" not in written


def test_the_json_of_a_pair_has_all_of_its_fields():
    """A field added to `QAPair` must be given a value by the strategy above, or it goes untested."""
    assert {field.name for field in fields(QAPair)} == {
        "id", "course_id", "source", "question", "answer", "domains", "document", "locator", "url",
        "similar_questions", "negative_questions",
    }  # fmt: skip
