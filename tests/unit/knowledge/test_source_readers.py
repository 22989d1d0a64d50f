"""Readers of course files: what they keep, and how they name a fault."""

from __future__ import annotations

import codecs
import io

import pytest

from knowledge.chunking import LONGEST_PASSAGE, LONGEST_SPEECH, split
from knowledge.sources.decoding import decode
from knowledge.sources.markdown import read_markdown
from knowledge.sources.readers import FaqReader, MaterialReader
from knowledge.sources.subtitles import MOST_SENTENCES, part_topics, read_subtitles, spoken_length
from vta.errors import InvalidInput
from vta.faq import LONGEST_TEXT
from vta.languages import Language
from vta.types.answers import Block
from vta.types.courses import Course, CourseId
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

COURSE = Course(id=CourseId("ds"), name="DS", domains=("计算机",), language=Language.ZH)
READERS = (MaterialReader(lambda document, course: ((), ())), FaqReader())
SRT = "1\n00:00:01,000 --> 00:00:02,500\n你好，\n\n2\n00:00:03,000 --> 00:00:04,000\n同学。\n"


def read(data: bytes | str, path: str):
    raw = data.encode() if isinstance(data, str) else data
    return next(reader for reader in READERS if reader.handles(path)).read(
        io.BytesIO(raw), path=path, course=COURSE
    )


@pytest.mark.parametrize(
    ("path", "data", "line", "words"),
    [
        ("a.srt", "1\n00:00:0x,000 --> 00:00:02,000\nhi\n", 2, "HH:MM:SS"),
        ("a.srt", "1\n00:00:09,000 --> 00:00:08,000\nhi\n", 2, "ends before it starts"),
        ("a.srt", "1\n00:00:01 --> 00:00:02\nhi\n", 2, "HH:MM:SS"),
        ("a.srt", "just text\n", 1, "no cue"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n\n", 1, "no cue"),
        ("a.srt", "", 1, "no cue"),
        ("a.vtt", "WEBVTT\n\n00:01.000 --> x\nhi\n", 3, "HH:MM:SS"),
        ("a.vtt", "WEBVTT\n\nname --> 2\nhi\n", 3, "HH:MM:SS"),
        ("a.md", b"ok\n\xff\xfe\n", 2, "UTF-8"),
        ("a.md", codecs.BOM_UTF8 + b"a\n\xff", 2, "utf-8"),
        ("a.md", codecs.BOM_UTF8 + b"\n\n\n\xff", 4, "utf-8"),
        ("a.md", b"a\rb\rc\xff", 3, "utf-8"),
        ("a.md", b"%PDF-1.7\nx\x00y", 2, "NUL"),
        ("a.md", b"\x89PNG\r\n\x1a\n\x00", 1, "utf-8"),
        ("a.md", codecs.BOM_UTF16_LE + "a\nb".encode("utf-16-le") + b"\x00\xd8", 2, "utf-16"),
        ("a.md", codecs.BOM_UTF16_LE + "ਊਊ\n".encode("utf-16-le") + b"\x00\xd8", 2, "utf-16"),
        ("a.md", "스택은 후입선출 자료구조입니다.".encode("euc-kr"), 1, "UTF-8"),
        ("a.md", "什麼是堆疊？它是一種資料結構。".encode("big5"), 1, "UTF-8"),
        ("a.md", "Ce que vous apprendrez est très utile à tous.".encode("latin-1"), 1, "UTF-8"),
        ("a.md", "スタックは後入れ先出しです。".encode("shift-jis"), 1, "UTF-8"),
        ("a.md", "a stack\nis a list".encode("utf-16-le"), 1, "UTF-16 LE without a byte order mark"),
        ("a.md", "a stack\nis a list".encode("utf-16-be"), 1, "UTF-16 BE without a byte order mark"),
        ("a.md", b"ok\n" + "什么是栈？".encode("gb18030") + b"\n\xff", 2, "UTF-8"),
        ("a.md", "", None, "no text"),
        ("a.md", "# Only\n\n<!-- a\ncomment -->\n", None, "no text"),
        ("a.txt", "\n \n", None, "no text"),
        ("a.csv", "", 1, "may be called question, "),
        ("a.csv", "什么是栈,后进先出\n", 1, "提问"),
        ("a.csv", "question,reply\na,b\n", 1, "no column 'answer'; it may be called answer, "),
        ("a.csv", "question,answer\n", 1, "no question"),
        ("a.csv", "question,answer\nc\n", 2, "answer is empty"),
        ("a.csv", "question,answer\n \u200b,b\n", 2, "question is empty"),
        ("a.csv", 'question,answer\na,"b\nc,d\ne,f\n', 2, "CSV"),
        ("a.csv", 'question,answer\n"a\nb",\n', 2, "answer is empty"),
        ("a.csv", 'question,answer\na,"b"c\n', 2, "CSV"),
        ("a.csv", f"question,answer\na,{'b' * (LONGEST_TEXT + 1)}\n", 2, "longer"),
        ("a.csv", f"question,answer\na,{'b' * 200_000}\n", 2, "CSV"),
        ("a.jsonl", '{"question": "c", "answ\n', 1, "not JSON"),
        ("a.jsonl", '{"question": "a"}\n', 1, "'answer'"),
        ("a.jsonl", '{"question": "a", "answer": 3}\n', 1, "'answer'"),
        ("a.jsonl", "[1]\n", 1, "'question'"),
        ("a.jsonl", "null\n", 1, "'question'"),
        ("a.jsonl", '\n{"question": "a", "answer": "\\ud83d"}\n', 2, "surrogate"),
        ("a.jsonl", "[" * 100_000 + "\n", 1, "nested too deeply"),
        ("a.jsonl", "1" * 5_000 + "\n", 1, "too long a number"),
        ("a.jsonl", "\n\n", 1, "no question"),
    ],
)
def test_a_fault_names_path_and_line(path, data, line, words):
    """Whoever wrote the file is told where it is wrong and what is wrong there."""
    with pytest.raises(InvalidInput, match=path.replace(".", r"\.")) as raised:
        read(data, path)
    assert (raised.value.path, raised.value.line) == (path, line)
    assert words in raised.value.message


@pytest.mark.parametrize(
    "data",
    [
        b"a\r\nb\rc",
        codecs.BOM_UTF8 + b"a\nb\nc",
        codecs.BOM_UTF16_LE + "a\nb\nc".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "a\r\nb\nc".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "a\r\nb\nc".encode("utf-32-le"),
    ],
)
def test_text_is_read_in_utf_8_and_marked_utf_16(data):
    """Byte order marks and the line ends of all systems leave no trace."""
    assert decode(data, path="a.md") == "a\nb\nc"


@pytest.mark.parametrize("text", ["什么是栈？", "栈是线性表，后进先出。\nO(1)", "问题,答案\n在哪里交,这里"])
def test_chinese_in_gb18030_is_read(text):
    """The encoding of older Chinese systems needs no mark to be known."""
    assert decode(text.encode("gb18030"), path="a.md") == text


def blocks(text: str, path: str = "notes/stack.md") -> list[tuple[tuple[str, ...], str]]:
    return [(b.locator.heading_path, b.text) for b in read_markdown(text, path=path).blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nx\n\n## B\n\ny\n\n# C\n\nz", [(("A",), "x"), (("A", "B"), "y"), (("C",), "z")]),
        ("# A\n\n### C\n\nx\n\n## B\n\ny", [(("A", "C"), "x"), (("A", "B"), "y")]),
        ("x\n\n# A\n\ny", [(("stack",), "x"), (("A",), "y")]),
        ("A\nB\n===\n\nx", [(("A B",), "x")]),
        ("# `Stack` *and* [Queue](x.md)\n\nx", [(("Stack and Queue",), "x")]),
        ("# \n\nx", [(("stack",), "x")]),
        ("# A\n\n## \n\nx", [(("A",), "x")]),
        ("---\ntitle: T\n---\n\nx", [(("T",), "x")]),
        ("- a\n- b\n  - c\n", [(("stack",), "- a\n- b\n  - c")]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", [(("stack",), "| a | b |\n|---|---|\n| 1 | 2 |")]),
        ("```c\nint x;\n\n# no heading\n```\n", [(("stack",), "```c\nint x;\n\n# no heading\n```")]),
        ("    if x:\n        y()\n", [(("stack",), "    if x:\n        y()")]),
        ("x\n\n---\n\ny", [(("stack",), "x"), (("stack",), "y")]),
        ("<!-- hidden -->\n\nx", [(("stack",), "x")]),
        ("<!-- hidden --> seen\n", [(("stack",), " seen")]),
        ("<!--\nhidden\n-->\nseen\n", [(("stack",), "seen")]),
        ("<div>\nx\n</div>\n", [(("stack",), "x")]),
        ("> # quoted\n\nx", [(("stack",), "quoted"), (("stack",), "x")]),
    ],
)
def test_markdown_blocks_stand_under_their_headings(text, expected):
    """Lists, tables and code are whole blocks; comments and rules are none; an empty heading adds nothing."""
    assert blocks(text) == expected


def test_the_title_of_a_document_is_its_first_heading():
    """Where text comes before it, or it says nothing, the title is the file's name."""
    assert read_markdown("# 栈\n\nx", path="a/b.md").title == "栈"
    assert read_markdown("x\n\n# 栈\n", path="a/b.md").title == "b"
    assert read_markdown("# \n\nx", path="a/b.md").title == "b"


def passages(*blocks: Block) -> list[str]:
    document = SourceDocument(path="a.md", title="A", blocks=blocks)
    return [pair.answer for pair in split(document, course=COURSE)]


def block(text: str, *path: str) -> Block:
    return Block(text=text, locator=Locator(heading_path=path))


def test_blocks_are_packed_up_to_the_length_and_never_across_a_heading():
    """Neighbours under one heading share a passage while they fit."""
    assert passages(block("a", "A"), block("b", "A"), block("c", "B")) == ["a\n\nb", "c"]
    assert passages(block("a" * 600), block("b" * 398), block("c")) == ["a" * 600 + "\n\n" + "b" * 398, "c"]


def test_a_code_fence_or_table_that_fits_is_never_cut():
    """A block of the full length is one passage, even where the one before leaves room for half of it."""
    fence = "```\n" + "x = 1\n" * 160 + "```"
    table = "| a | b |\n|---|---|\n" + "| 1. | 2! |\n" * 70
    assert len(fence) <= LONGEST_PASSAGE
    assert passages(block("before"), block(fence), block(table.strip())) == [
        "before\n\n" + fence,
        table.strip(),
    ]


@pytest.mark.parametrize(
    "sentence", ["栈是后进先出的线性表。", "A stack is last in, first out. ", "x = a[0]\n"]
)
def test_a_long_block_is_cut_between_sentences_or_lines(sentence):
    """English, Chinese and code alike are never cut inside of what fits."""
    text = (sentence * 200).strip()
    found = passages(block(text))
    assert len(found) > 1
    for passage in found:
        assert passage.strip().endswith(sentence.strip())
        assert passage.strip().startswith(sentence[:4])


def test_a_long_paragraph_of_wrapped_lines_is_cut_between_sentences() -> None:
    sentence = "The database may hold far more rows than fit into memory,\nso it is asked for a few of them."
    found = passages(block("\n".join([sentence] * 25)))
    assert len(found) > 1
    assert all(each.startswith("The database") and each.endswith("them.") for each in found)


def test_only_an_endless_line_is_cut_anywhere():
    """A line without a sentence's end is cut at the length."""
    assert [len(p) for p in passages(block("栈" * 2500))] == [1000, 1000, 500]


def test_a_pair_names_its_place_and_keeps_its_id():
    """The question is the heading path, the id depends on course, path and place alone."""
    document = SourceDocument(path="a.md", title="A", blocks=(block("x", "线性表", "栈"), block("y")))
    pairs = split(document, course=COURSE)
    assert [pair.question for pair in pairs] == ["线性表 > 栈", "A"]
    assert [(p.document, p.domains, p.course_id) for p in pairs] == [("a.md", ("计算机",), "ds")] * 2
    assert split(document, course=COURSE) == pairs
    moved = SourceDocument(path="b.md", title="A", blocks=document.blocks)
    assert not {p.id for p in pairs} & {p.id for p in split(moved, course=COURSE)}


def cues(text: str, path: str = "v/01.srt") -> list[tuple[str, float | None, float | None]]:
    found = read_subtitles(text, path=path).blocks
    assert {b.locator.video for b in found} == {path.rpartition("/")[2]}
    return [(b.text, b.locator.start_s, b.locator.end_s) for b in found]


def srt(*cues: tuple[str, str, str]) -> str:
    return "\n".join(
        f"{n}\n00:{start} --> 00:{end}\n{text}\n" for n, (start, end, text) in enumerate(cues, start=1)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SRT, [("你好，同学。", 1.0, 4.0)]),
        (srt(("00:01,0", "00:02,0", "A stack"), ("00:02,0", "00:03,0", "is a list.")),
         [("A stack is a list.", 1.0, 3.0)]),
        (srt(("00:01,0", "00:02,0", "no end"), ("00:06,0", "00:07,0", "later")),
         [("no end", 1.0, 2.0), ("later", 6.0, 7.0)]),
        (srt(("00:01,000", "00:02,000", "the set {1,2} of vector<int>, a<b and b>c.")),
         [("the set {1,2} of vector<int>, a<b and b>c.", 1.0, 2.0)]),
        (srt(("00:01,000", "00:02,000", "{\\an8}<i>Look</i> <font color=\"red\">here</font>.")),
         [("Look here.", 1.0, 2.0)]),
        (srt(("00:01,000", "00:02,000", "A --> B."), ("00:03,000", "00:04,000", "C.")),
         [("A --> B.", 1.0, 2.0), ("C.", 3.0, 4.0)]),
        (srt(("00:01,000", "00:02,000", "The answer is\n42")), [("The answer is 42", 1.0, 2.0)]),
        (srt(("00:01,000", "00:02,000", ""), ("00:03,000", "00:04,000", "x.")), [("x.", 3.0, 4.0)]),
        (srt(("00:10,000", "00:12,000", "Last."), ("00:01,000", "00:03,000", "First.")),
         [("Last.", 10.0, 12.0), ("First.", 1.0, 3.0)]),
        ("01:00:00,001 --> 01:00:01,250\nno number.\n", [("no number.", 3600.001, 3601.25)]),
    ],
)  # fmt: skip
def test_srt_cues_become_sentences_with_their_seconds(text, expected):
    """Sentences over two cues are joined, a pause parts them, and nothing that was said is lost."""
    assert cues(text) == expected


def test_webvtt_keeps_what_is_said_and_nothing_else():
    """Names of cues, notes, styles, speakers and settings are no speech; entities are characters."""
    text = (
        "WEBVTT - title\n\nSTYLE\n::cue { color: red }\n\nNOTE a comment\n\nintro\n"
        "00:01.000 --> 00:02.000 align:start\n<v Ann>Tea &amp; <c.loud>a &lt; b</c>.\n\n"
        "NOTE the editor\nsays no\n\n2\n01:00:03.000 --> 01:00:04.000\n<00:03.500>42\n"
    )
    assert cues(text, "01.vtt") == [("Tea & a < b.", 1.0, 2.0), ("42", 3603.0, 3604.0)]


@pytest.mark.parametrize(
    ("path", "bad", "words"),
    [
        ("a.srt", "3\n00:00:09,000 --> 00:00:08,000\nhi\n\n", "ends before it starts"),
        ("a.srt", "3\n00:00:09,000 -->\nhi\n\n", "HH:MM:SS"),
        ("a.vtt", "00:09.000 --> x\nhi\n\n", "HH:MM:SS"),
    ],
)
def test_a_cue_with_broken_times_is_left_out_and_named(path, bad, words):
    """The rest of the lecture is read."""
    good = SRT.replace(",", ".") if path == "a.vtt" else SRT
    found = read_subtitles(f"{bad}{good}", path=path)
    assert [block.text for block in found.blocks] == ["你好，同学。"]
    assert [(each.line, words in each.reason) for each in found.rejected] == [
        (2 if path == "a.srt" else 1, True)
    ]


YOUTUBE = """WEBVTT
Kind: captions

00:00:00.320 --> 00:00:02.629 align:start position:0%
\x20
first<00:00:00.640><c> a</c><00:00:00.799><c> stack</c>

00:00:02.629 --> 00:00:02.639 align:start position:0%
first a stack
\x20

00:00:02.639 --> 00:00:05.349 align:start position:0%
first a stack
no<00:00:02.800><c> no</c>

00:00:05.349 --> 00:00:05.359 align:start position:0%
no no
\x20

00:00:05.359 --> 00:00:08.150 align:start position:0%
no no
no<00:00:05.600><c> no</c>

00:00:08.150 --> 00:00:08.160 align:start position:0%
no no
\x20
"""


def test_rolling_captions_are_read_once_each_from_their_true_start():
    """As YouTube writes them, and as lines roll up in SRT; what is said twice comes twice."""
    assert cues(YOUTUBE, "01.vtt") == [("first a stack no no no no", 0.32, 8.15)]
    rolling = srt(*((f"00:0{n},0", f"00:0{n + 1},0", f"line {n}\nline {n + 1}") for n in range(1, 5)))
    assert cues(rolling) == [("line 1 line 2 line 3 line 4 line 5", 1.0, 5.0)]


def test_speech_that_repeats_itself_is_read_as_it_is():
    said = srt(
        ("00:01,0", "00:02,0", "we pick"),
        ("00:02,0", "00:03,0", "we pick"),
        ("00:03,0", "00:04,0", "we pick a thread"),
    )
    assert cues(said) == [("we pick we pick we pick a thread", 1.0, 4.0)]


def test_speech_without_punctuation_is_cut_at_its_length():
    """Endless speech still becomes sentences of some 20 s and passages of two minutes, with their seconds."""
    said = srt(
        *((f"{n // 60:02}:{n % 60:02},000", f"{n // 60:02}:{n % 60:02},900", "字" * 15) for n in range(100))
    )
    document = read_subtitles(said, path="v.srt")
    pairs = split(document, course=COURSE)
    assert all(spoken_length(pair.answer) <= LONGEST_SPEECH for pair in pairs)
    assert all(spoken_length(block.text) <= 345 for block in document.blocks)
    assert "".join(pair.answer for pair in pairs).replace("\n", "") == "字" * 1500
    lines = [line for pair in pairs for line in pair.answer.split("\n")]
    assert lines == [block.text for block in document.blocks]
    starts = [pair.locator.start_s for pair in pairs]
    assert starts == sorted(starts)
    assert pairs[0].locator.start_s == 0.0
    assert pairs[-1].locator.end_s == 99.9


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("faq.csv", '\ufeffQuestion , ANSWER,note\n什么是栈?,"后进先出\n的表, ""栈""",x\n\n'),
        (
            "faq.jsonl",
            '\ufeff{"question": " 什么是栈? ", "answer": "后进先出\\n的表, \\"栈\\"", "id": 3}\n\n',
        ),
    ],
)
def test_faq_tables_are_read(path, text):
    """Further columns are ignored, header names may vary in case, cells may hold lines and quotes."""
    document = read(text, path)
    (pair,) = document.pairs
    assert (pair.question, pair.answer) == ("什么是栈?", '后进先出\n的表, "栈"')
    assert (pair.document, pair.domains) == (path, ("计算机",))


def test_the_id_of_a_faq_pair_follows_its_question():
    """Rows may move and answers change without another id."""
    before = read("question,answer\na,1\nb,2\n", "f.csv").pairs
    after = read("question,answer\nb,3\na,1\n", "f.csv").pairs
    assert {p.question: p.id for p in before} == {p.question: p.id for p in after}


READ = "a.MD a.markdown a.qmd a.Rmd x/a.vtt a.csv a.HTML a.htm a.pdf a.docx a.pptx a.xlsx a.tar.gz a.tgz"


@pytest.mark.parametrize("path", [*READ.split(), "x/course.xml", "a.png", "md"])
def test_one_reader_goes_by_the_ending_of_the_name(path):
    """Upper case makes no difference."""
    assert sum(reader.handles(path) for reader in READERS) == (path not in ("a.png", "md"))


STACK = ["we push on the stack", "then we pop the stack", "a push and a pop", "the stack we push"] * 2
GRAPH = ["an edge of the graph", "a vertex and an edge", "the graph of a vertex", "one edge, one vertex"] * 2
入栈 = ["我们把它入栈", "栈顶再出栈", "先入栈后出栈", "入栈在栈顶"] * 2
图论 = ["顶点和边连接", "连接两个顶点", "顶点连接成图", "每条边的顶点"] * 2


@pytest.mark.parametrize("first", [4, 5, 6])
@pytest.mark.parametrize(("one", "other"), [(STACK, GRAPH), (GRAPH, STACK), (入栈, 图论), (图论, 入栈)])
def test_a_passage_ends_where_the_topic_turns(one, other, first):
    """Not where the length would have it."""
    said = [*one[:first], *other[: 10 - first]]
    longest = sum(map(spoken_length, said)) * 3 // 4
    assert part_topics(said, longest=longest) == [range(first), range(first, 10)]


def test_what_is_short_enough_stays_together():
    """No passage is begun without need, and no speech has none."""
    assert part_topics([*STACK, *GRAPH], longest=10_000) == [range(16)]
    assert part_topics([], longest=10) == []
    assert part_topics(["x" * 50, "y"], longest=10) == [range(1), range(1, 2)]


def test_a_chinese_character_takes_as_long_as_three_letters():
    assert spoken_length("A栈") == 4


def test_words_alone_are_parted_in_time():
    """A sentence of a word each makes passages of so many sentences, not one of thousands."""
    parts = part_topics(["a."] * 1_000, longest=LONGEST_SPEECH)
    assert max(map(len, parts)) == MOST_SENTENCES
    assert sum(map(len, parts)) == 1_000


def test_a_citation_plays_from_where_the_thought_begins():
    """The passage about graphs begins with the second of its first cue."""
    cues = "\n".join(
        f"{n}\n00:{n // 6:02}:{n % 6}0,000 --> 00:{n // 6:02}:{n % 6}9,500\n{text}{' um' * 80}.\n"
        for n, text in enumerate([*STACK[:4], *GRAPH[:6]])
    )
    course = Course(id=CourseId("ds"), name="Data structures", domains=("computing",), language=Language.EN)
    one, other = split(read_subtitles(cues, path="v.srt"), course=course)
    assert one.answer.startswith("we push")
    assert (one.locator.start_s, one.locator.end_s) == (0.0, 39.5)
    assert other.answer.startswith("an edge")
    assert (other.locator.start_s, other.locator.end_s) == (40.0, 99.5)
    assert max(spoken_length(each.answer) for each in (one, other)) <= LONGEST_SPEECH
