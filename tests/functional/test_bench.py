"""`vta bench`: courses fetched and loaded, three kinds of assistants asked, and their replies scored."""

from __future__ import annotations

import io
import json
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_lines import Vta
from local_http import Asked, LocalHttp
from served_platform import ENGLISH, Served
from small_platform import STACKS_EN

from lab.bench.courses import files_hash
from lab.bench.passages import pieces
from lab.bench.questions import SHIPPED, Answerable, read_set

ROWS = [
    {"turn": 0, "question": "What is a stack?", "must": [["one end", "last in"]], "sources": ["stack"]},
    {"turn": 1, "question": "Which bicycle shop is open today?", "answerable": False},
    {"turn": 0, "question": "hello!", "answerable": "chat", "kind": "chat"},
]


class School(LocalHttp):
    """An archive of the course, and a model that says what it was told to say."""

    said: str = "Changed at one end only [2]."

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def answer(self, request: Asked) -> None:
        if request.path == "/course.tar.gz":
            request.reply(archive(), "application/gzip")
        else:
            self.prompts.append(json.loads(request.body())["messages"][0]["content"])
            message = {"role": "assistant", "content": self.said}
            usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
            request.reply_json(
                {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
                 "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
            )  # fmt: skip


def archive() -> bytes:
    """The course's files as a code host packs them, and one that no course should write."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        for name, text in {**STACKS_EN, "../outside.md": "no", "LICENSE": "free"}.items():
            member = tarfile.TarInfo(f"course-0123abc/{name}")
            member.size = len(text.encode())
            file.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


@pytest.fixture
def school() -> Iterator[School]:
    with School() as running:
        yield running


@pytest.fixture
def bench(school: School, tmp_path: Path) -> Path:
    """A set of two conversations about the small English course."""
    folder = tmp_path / "set"
    folder.mkdir()
    expected = tmp_path / "expected"
    for name in ("notes/stack.md", "notes/queue.md"):
        (expected / name).parent.mkdir(parents=True, exist_ok=True)
        (expected / name).write_text(STACKS_EN[name], encoding="utf-8")
    course = {"name": "Stacks", "language": "en", "field": "computing", "domains": ["CS"], "licence": "CC0",
              "archive": f"{school.address}/course.tar.gz", "files": r"notes/.*\.md",
              "sha256": files_hash(expected)}  # fmt: skip
    table = "".join(f"{name} = {json.dumps(value)}\n" for name, value in course.items())
    (folder / "courses.toml").write_text(f"[{ENGLISH}]\n{table}", encoding="utf-8")
    number = 0
    with (folder / f"{ENGLISH}.jsonl").open("w", encoding="utf-8") as file:
        for row in ROWS:
            number += row["turn"] == 0
            known = {
                "conversation": f"c-{number}",
                "kind": "definition",
                "answerable": True,
                "must": [],
                "longest": 200,
            }
            file.write(json.dumps({**known, **row}) + "\n")
    return folder


def test_a_course_is_fetched_checked_and_loaded(command: Vta, bench: Path, tmp_path: Path):
    """Only the set's files, none outside their folder; another file is noticed."""
    courses = tmp_path / "courses"
    ran = command("bench", "fetch", courses, "--set", bench)
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"{ENGLISH}: 2 files")
    files = {path.relative_to(courses).as_posix() for path in courses.rglob("*.md")}
    assert files == {f"{ENGLISH}/notes/stack.md", f"{ENGLISH}/notes/queue.md"}
    assert command("bench", "load", courses, "--set", bench).code == 0
    assert "one end" in command("ask", ENGLISH, "What is a stack?").out
    (courses / ENGLISH / "notes" / "stack.md").write_text("other")
    ran = command("bench", "fetch", courses, "--set", bench)
    assert ran.code == 2
    assert "does not hold the files" in ran.err


def test_this_platform_is_asked_in_sessions_and_goes_on_where_it_was_stopped(
    api: Served, command: Vta, bench: Path, tmp_path: Path
):
    """Every figure from the replies in the file; a second run asks nothing."""
    replies = tmp_path / "vta.jsonl"
    asked = ("bench", "ask", replies, "--vta", api.address, "--set", bench, "--json")
    ran = command(*asked)
    assert ran.code == 0, ran.err
    (run,) = ran.json["runs"]
    assert run["shares"]["right"]["mean"] == 1.0
    assert run["shares"]["first citation"] == {"mean": 1.0, "interval_95": [1.0, 1.0], "n": 1}
    assert (run["n"], run["conversations"], run["tokens"]) == (3, 2, None)
    lines = replies.read_text().splitlines()
    replies.write_text("\n".join(lines[:2]) + "\n")  # killed within the first conversation
    assert command(*asked).json["runs"][0]["shares"] == run["shares"]
    before = replies.read_bytes()
    assert command(*asked).code == 0
    assert replies.read_bytes() == before
    other = command("bench", "ask", replies, "--command", "cat", "--set", bench)
    assert other.code == 2
    assert "give another file" in other.err


def test_a_model_is_asked_bare_and_with_plain_retrieval(
    school: School, command: Vta, bench: Path, tmp_path: Path
):
    """The passages stand in its prompt, and [1] is what it cites; both runs stand side by side on a page."""
    courses, page = tmp_path / "courses", tmp_path / "ab.html"
    assert command("bench", "fetch", courses, "--set", bench).code == 0
    chat = ("--chat", f"{school.address}/v1", "--model", "<m>", "--set", bench, "--json")
    plain = command("bench", "ask", tmp_path / "plain.jsonl", "--passages", courses, *chat)
    assert plain.code == 0, plain.err
    assert "A stack is a linear list" in school.prompts[0]
    (run,) = plain.json["runs"]
    assert run["tokens"] == [21, 9]
    assert run["shares"]["first citation"]["mean"] == 1.0
    # it answers what the course does not
    assert run["shares"]["wrong"]["mean"] == pytest.approx(1 / 3, abs=1e-3)
    school.said = "I can't help with that."
    assert command("bench", "ask", tmp_path / "bare.jsonl", *chat).code == 0
    both = command("bench", "report", tmp_path / "plain.jsonl", tmp_path / "bare.jsonl", "--set", bench,
                   "--html", page, "--json")  # fmt: skip
    assert both.json["paired"]["better"] == 1
    assert "&lt;m&gt;, plain retrieval" in page.read_text()
    assert "<m>" not in page.read_text()


def test_any_program_can_be_asked(command: Vta, bench: Path, tmp_path: Path):
    """One JSON object a line in, one out; what is none ends the run, and its line says who failed."""
    program = tmp_path / "assistant.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    print(json.dumps({'text': f'at one end, after {len(asked[\"before\"])}'}), flush=True)\n"
    )
    replies = tmp_path / "program.jsonl"
    ran = command("bench", "ask", replies, "--command", f"{sys.executable} {program}", "--set", bench)
    assert ran.code == 0, ran.err
    assert "right, answerable" in ran.out
    assert "after 1" in replies.read_text()
    failed = command("bench", "ask", tmp_path / "x.jsonl", "--command", "true", "--set", bench)
    assert failed.code == 1
    assert "true gave no reply" in failed.err


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"turn": 1}, "line 1: turn: "),
        ({"must": [["("]]}, "no regular expression"),
        ({"must": [[["push"]]]}, "line 1: must: no regular expression"),
        ({"must": None}, "line 1: must: "),
        ({"answerable": "perhaps"}, "line 1: answerable: Input should be"),
        ({"question": ""}, "line 1: question: "),
        ({"longest": "long"}, "line 1: longest: Input should be a valid integer"),
    ],
)
def test_a_faulty_row_is_named(command: Vta, bench: Path, tmp_path: Path, change, fault):
    file = bench / f"{ENGLISH}.jsonl"
    first, *rest = file.read_text().splitlines()
    file.write_text("\n".join([json.dumps({**json.loads(first), **change}), *rest]))
    ran = command("bench", "ask", tmp_path / "x.jsonl", "--command", "cat", "--set", bench)
    assert ran.code == 2
    assert fault in ran.err
    assert not (tmp_path / "x.jsonl").exists()


def test_whom_to_ask_is_said_once(command: Vta, tmp_path: Path):
    for given in ((), ("--vta", "http://a", "--command", "cat"), ("--chat", "http://a/v1")):
        ran = command("bench", "ask", tmp_path / "x.jsonl", *given)
        assert ran.code == 2
        assert "say whom to ask" in ran.err


def test_the_public_set_is_what_it_says():
    """Two languages, nine fields, 550 turns; refusals, chains, organisation, small talk, attacks."""
    given = read_set(SHIPPED)
    turns = [turn for conversation in given.conversations for turn in conversation]
    assert len(turns) >= 550
    assert {course.language.value for course in given.courses} == {"zh", "en"}
    assert len({course.field for course in given.courses}) >= 9
    assert sum(turn.turn > 0 for turn in turns) >= 100
    kinds = {turn.kind for turn in turns}
    assert kinds >= {"admin", "attack", "chat", "off", "follow_up", "trouble", "why", "how", "compare"}
    for turn in turns:
        if turn.answerable is Answerable.YES:
            assert turn.must, turn.conversation
            assert turn.sources, turn.conversation
            assert not all(any(each.search(turn.question) for each in fact) for fact in turn.must)


def test_plain_retrieval_reads_the_cells_of_a_notebook():
    """Its JSON in one piece would be the whole file for any question."""
    cells = [{"source": ["# Stacks\n", "Last in, first out."]}, {"source": "stack.pop()"}]
    found = list(pieces("a.ipynb", json.dumps({"cells": cells})))
    assert [(each.title, each.text) for each in found] == [
        ("Stacks", "# Stacks\nLast in, first out.\n\nstack.pop()")
    ]
