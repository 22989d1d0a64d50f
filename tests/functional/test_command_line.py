"""The command line: what it prints, how it exits, and that a refused command changes nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer.main
from command_lines import Vta
from scripted_llm import ScriptedLlm
from site_server import page, run_site
from small_platform import COURSES, write_files

from services.cli.main import app
from vta import __version__
from vta.types.courses import Thresholds

ROOT = Path(__file__).parents[2]
COURSE = "stacks-en"
SRT = "1\n00:00:01,000 --> 00:00:04,000\nA stack is last in, first out, like plates.\n"
BROKEN_SRT = "1\n00:00:01,000 --> yesterday\nA stack.\n"

pytestmark = pytest.mark.skipif(
    not (files("intent") / "weights" / "model.onnx").is_file(),
    reason="the command line is not proven: intent/weights/model.onnx is missing",
)


@pytest.fixture
def vta(command: Vta) -> Vta:
    """Runs a command line over one data folder, in this process."""
    return command


@pytest.fixture
def course(vta: Vta, tmp_path: Path) -> Path:
    """The folder of the small English course, which is added and ingested."""
    given, texts = COURSES[COURSE]
    folder = write_files(tmp_path / "given", texts)
    added = vta("course", "add", COURSE, "--name", given.name, "--domain", *given.domains, "--language", "en")
    assert added.code == 0, added.err
    assert vta("ingest", COURSE, str(folder)).code == 0
    return Path(folder)


def state(home: Path) -> tuple[list[str], str]:
    """All rows of the store, and what the index was made from."""
    with closing(sqlite3.connect(home / "vta.db")) as database:
        return list(database.iterdump()), (home / "index" / "live.json").read_text()


# What it does


def test_courses_are_added_listed_and_removed(vta: Vta) -> None:
    """`--json` shows the course; a list is JSON Lines."""
    assert vta("course", "list", "--json").out == ""
    added = vta(
        "course", "add", "ds", "--name", "数据结构", "--domain", "计算机", "--domain", "数学", "--json"
    )
    expected = {
        "id": "ds",
        "name": "数据结构",
        "domains": ["计算机", "数学"],
        "language": "zh",
        "archived": False,
    }
    assert (added.code, added.json) == (0, expected)
    assert vta("course", "list", "--json").lines == [expected]
    assert "数据结构" in vta("course", "list").out
    refused = vta("course", "remove", "ds", stdin="no\n")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert vta("course", "remove", "ds", "--yes", "--json").json == expected
    assert vta("course", "list", "--json").lines == []


def test_ingest_reports_what_happened_to_the_documents(vta: Vta, course: Path) -> None:
    """Numbers of documents, and lists of the rejected ones and of files of other kinds."""
    (course / "notes" / "queue.md").unlink()
    (course / "notes" / "stack.md").write_text("# Stacks\n\nA stack grows and shrinks at its top only.\n")
    (course / "talk.srt").write_text(SRT)
    (course / "broken.srt").write_text(BROKEN_SRT)
    (course / "week.tex").write_text("x")
    report = vta("ingest", COURSE, str(course), "--json")
    assert report.code == 0
    assert list(report.json) == [
        "added",
        "unchanged",
        "removed",
        "rejected",
        "passed_over",
        "pairs",
        "seconds",
    ]
    assert report.json["passed_over"] == ["week.tex"]
    assert (report.json["added"], report.json["unchanged"], report.json["removed"]) == (2, 2, 1)
    (rejected,) = report.json["rejected"]
    assert list(rejected) == ["path", "line", "reason"]
    assert (rejected["path"], rejected["line"]) == ("broken.srt", 2)
    assert report.json["pairs"] >= 2
    assert "broken.srt" in report.err
    assert "of other kinds, not read: 1 .tex" in vta("ingest", COURSE, str(course)).out
    again = vta("ingest", COURSE, str(course), "--json").json
    assert (again["added"], again["unchanged"], again["removed"]) == (0, 4, 0)


def test_a_website_is_ingested_by_its_address(vta: Vta, course: Path) -> None:
    """Read again, what is gone is removed, unless a page could not be had."""
    pages: dict[str, str | bytes | int] = {
        "/": page("Start", "Welcome.", "heap.html", "tree.html"),
        "/heap.html": page("Heap", "A heap is a tree whose parents are smaller than their children."),
        "/tree.html": page("Tree", "A tree is a graph without cycles."),
    }

    def told() -> list[int]:
        found = vta("ingest", COURSE, f"{site.address}/", "--json").json
        return [found[name] for name in ("added", "unchanged", "removed")]

    with run_site(pages) as site:
        assert told() == [3, 0, 0]
        site.pages = pages | {"/tree.html": 503}
        assert told() == [0, 2, 0]
        site.pages = pages | {"/tree.html": 404}
        assert told() == [0, 2, 1]
    failed = vta("ingest", COURSE, f"{site.address}/")
    assert (failed.code, site.address in failed.err) == (2, True)


def test_ask_gives_the_answer_of_the_api(vta: Vta, course: Path) -> None:
    """The whole answer as JSON, or its text with the sources for people."""
    answer = vta("ask", COURSE, "What is a stack?", "--json")
    assert answer.code == 0
    assert answer.json["route"] == "direct"
    assert answer.json["citations"][0]["title"] == "stack"
    assert set(answer.json) > {"turn_id", "session_id", "html", "concepts", "ranking", "trace"}
    more = vta("ask", COURSE, "why does it need a top?", "--session", answer.json["session_id"], "--json")
    assert more.json["session_id"] == answer.json["session_id"]
    assert "stack" in more.json["standalone_question"]
    shown = vta("ask", COURSE, "What is a stack?").out
    assert "last in, first out" in shown
    assert "[1] concept: stack" in shown


def test_ask_and_search_read_json_lines_in_order(vta: Vta, course: Path) -> None:
    """`-` reads JSON Lines on stdin and prints one line each, in order."""
    asked = ["What is a queue?", "What is a stack?", "hello"]
    stdin = "".join(json.dumps({"question": question}) + "\n\n" for question in asked)
    answers = vta("ask", COURSE, "-", stdin=stdin).lines
    assert [answer["standalone_question"] for answer in answers] == asked
    assert len({answer["session_id"] for answer in answers}) == 3
    found = vta("search", COURSE, "-", "--json", stdin=stdin).lines
    assert [result["query"] for result in found] == asked


def test_ask_uses_one_language_model_for_many_lines(
    vta: Vta, course: Path, scripted_llm: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every line gets the model's words, over connections that live as long as the command."""
    scripted_llm.play(scripted_llm.ok("On top [1]."))
    monkeypatch.setenv("VTA_LLM_BASE_URL", scripted_llm.base_url)
    monkeypatch.setenv("VTA_LLM_MODEL", "m")
    line = json.dumps({"question": "Why do editors undo with a stack, and how does that compare to a queue?"})
    answers = vta("ask", COURSE, "-", stdin=f"{line}\n" * 3).lines
    assert [(answer["text"], answer["degraded"]) for answer in answers] == [("On top [1].", None)] * 3
    assert scripted_llm.connections == 1


def test_search_shows_how_pairs_were_ranked(vta: Vta, course: Path) -> None:
    """The most relevant first, each with its BM25, weight, S and cosine; at most `--top`."""
    found = vta("search", COURSE, "What is a stack?", "--top", "2", "--json").json
    assert set(found) == {"query", "terms", "beta", "hits"}
    fields = ["pair_id", "source", "document", "question", "answer", "bm25", "weight", "score", "locator"]
    assert [list(hit) for hit in found["hits"]] == [[*fields, "similarity", "relevance"]] * 2
    assert found["hits"][0]["relevance"] >= found["hits"][1]["relevance"]
    assert "stack" in found["hits"][0]["question"].lower()


def test_prompt_shows_chain_of_teach_without_a_model(vta: Vta, course: Path) -> None:
    """The concepts, r, e and f of Algorithm 1."""
    prompt = vta("prompt", COURSE, "Why do editors undo with a stack?", "--json").json
    assert set(prompt) >= {"concepts", "reasoning", "examples", "prompt"}
    assert prompt["concepts"] == ["stack"]
    assert "The prerequisite concepts of stack are: linear list." in prompt["reasoning"]
    assert prompt["reasoning"] in prompt["prompt"]
    assert len(prompt["examples"]) <= 1


def test_the_graph_is_shown_and_exported(vta: Vta, course: Path) -> None:
    """As JSON that can be ingested again, as GraphML, and one concept by name or alias."""
    exported = vta("graph", "export", COURSE)
    assert {concept["name"] for concept in exported.json["concepts"]} >= {"stack", "queue", "linear list"}
    assert vta("graph", "export", COURSE, "--format", "graphml").out.startswith("<graphml")
    shown = vta("graph", "show", COURSE, "stacks", "--json").json
    assert shown["name"] == "stack"
    assert [prerequisite["name"] for prerequisite in shown["prerequisites"]] == ["linear list"]
    (step,) = shown["path"]
    assert step["name"] == "linear list"
    assert step["taught"]["document"].startswith("notes/")
    told = vta("graph", "show", COURSE, "linear list").out
    assert "Builds on it:" in told
    assert "- stack: A stack is a list" in told
    assert "Learning path" not in told


def test_a_course_is_named_as_the_platforms_graph(vta: Vta) -> None:
    """And no longer; an unknown course is refused."""
    vta("course", "add", COURSE, "--name", "Stacks", "--domain", "CS")
    named = {"id": COURSE, "is_platform_graph": True}
    assert vta("course", "lending", COURSE, "--platform", "--json").json == named
    assert vta("course", "lending", COURSE, "--no-platform").out.endswith(": no\n")
    assert vta("course", "lending", "unknown", "--platform").code == 2


def test_reindex_questions_and_doctor(vta: Vta, course: Path, tmp_path: Path) -> None:
    """The index is made anew beside the old one; the TA's queue and the back ends are told."""
    live = tmp_path / "home" / "index" / "live.json"
    before = live.read_text()
    assert vta("reindex", COURSE, "--json").json["made_at"] == json.loads(before)["stamp"]
    assert live.read_text() != before
    assert vta("ask", COURSE, "What is a stack?", "--json").json["route"] == "direct"
    assert vta("questions", COURSE, "--json").out == ""
    doctor = vta("doctor", "--json")
    assert doctor.code == 0
    parts = {"store", "search", "disk", "intent", "language_model", "embeddings"}
    assert set(doctor.json) == parts | {"settings", "risks"}
    assert doctor.json["store"].startswith("sqlite")


def test_doctor_fails_where_a_back_end_cannot_be_reached(
    vta: Vta, scripted_llm: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 1, with the reason and without the key."""
    monkeypatch.setenv("VTA_LLM_BASE_URL", scripted_llm.refused_url())
    monkeypatch.setenv("VTA_LLM_MODEL", "m")
    monkeypatch.setenv("VTA_LLM_API_KEY", "sk-canary")
    doctor = vta("doctor", "--json")
    assert (doctor.code, doctor.json["language_model"]) == (
        1,
        "failed: the language model cannot be reached",
    )
    assert "sk-canary" not in doctor.out + doctor.err


# What it refuses

REFUSED = {
    "unknown course": (["ask", "nowhere", "What is a stack?"], "nowhere"),
    "unknown course to ingest": (["ingest", "nowhere", "given"], "nowhere"),
    "unknown course to remove": (["course", "remove", "nowhere"], "nowhere"),
    "unknown course to reindex": (["reindex", "nowhere"], "nowhere"),
    "unknown course of questions": (["questions", "nowhere"], "nowhere"),
    "unknown session": (["ask", COURSE, "hello", "--session", "nothing"], "nothing"),
    "unknown concept": (["graph", "show", COURSE, "zebra"], "zebra"),
    "empty question": (["ask", COURSE, ""], "question"),
    "blank search": (["search", COURSE, " \t"], "question"),
    "long question": (["ask", COURSE, "x" * 100_000], "100000"),
    "long prompt": (["prompt", COURSE, "x" * 100_000], "100000"),
    "course twice": (["course", "add", COURSE, "--name", "x", "--domain", "y"], COURSE),
    "course without letters": (["course", "add", "..", "--name", "x", "--domain", "y"], "COURSE"),
    "course with a slash": (["course", "add", "a/b", "--name", "x", "--domain", "y"], "COURSE"),
    "course without a name": (["course", "add", "new", "--name", " ", "--domain", "y"], "--name"),
    "wrong language": (["course", "add", "n", "--name", "x", "--domain", "y", "--language", "fr"], "fr"),
    "missing file": (["ingest", COURSE, "none.md"], "none.md"),
    "kind of file nobody reads": (["ingest", COURSE, "picture.png"], "picture.png"),
    "broken subtitles": (["ingest", COURSE, "broken.srt"], "broken.srt"),
    "binary notes": (["ingest", COURSE, "binary.md"], "binary.md"),
    "all of a folder": (["ingest", COURSE, "all-broken"], "binary.md"),
    "no such option": (["ask", COURSE, "hello", "--loudly"], "--loudly"),
    "no such command": (["sing"], "sing"),
}


@pytest.mark.parametrize("as_json", [False, True])
def test_bad_input_exits_2_names_itself_and_changes_nothing(
    vta: Vta, course: Path, tmp_path: Path, as_json: bool
) -> None:
    """stderr names file, line or field; stdout holds nothing but JSON; the data folder is as it was."""
    broken = tmp_path / "all-broken"
    broken.mkdir()
    for folder in (tmp_path, broken):
        (folder / "broken.srt").write_text(BROKEN_SRT)
        (folder / "binary.md").write_bytes(bytes(range(256)) * 8)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    before = state(tmp_path / "home")
    for case, (arguments, named) in REFUSED.items():
        ran = vta(*arguments, *(["--json"] if as_json else []))
        assert (ran.code, named in ran.err, "Traceback" in ran.err) == (2, True, False), case
        if as_json and ran.out:
            assert ran.json["rejected"], case
        if arguments[-1].endswith(".srt"):
            assert "line 2" in ran.err or ":2" in ran.err
        assert state(tmp_path / "home") == before, case


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ("not json\n", "line 1"),
        ('{"question": "hello"}\n[]\n', "line 2"),
        ('{"text": "hello"}\n', "question"),
        ('{"question": ""}\n', "question"),
    ],
)
def test_a_bad_line_on_stdin_is_named(vta: Vta, course: Path, lines: str, named: str) -> None:
    """Exit 2 at the first bad line; what came before it was answered."""
    ran = vta("search", COURSE, "-", stdin=lines)
    assert ran.code == 2
    assert named in ran.err
    assert len(ran.lines) == lines.count("hello") * ("text" not in lines)


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("VTA_ALPHA", "1.5", "VTA_ALPHA"),
        ("VTA_ALPHA", "high", "VTA_ALPHA"),
        ("VTA_TOP_K", "0", "VTA_TOP_K"),
        ("VTA_LLM_BASE_URL", "ftp://x", "VTA_LLM_BASE_URL"),
        ("VTA_LLM_BASE_URL", "http://127.0.0.1:1/v1", "VTA_LLM_MODEL"),
        ("VTA_DATABASE_URL", "mysql://root:canary@x/y", "VTA_DATABASE_URL"),
        ("VTA_INTENT_MODEL", "/nowhere", "/nowhere"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_names_its_variable(
    vta: Vta, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, value: str, named: str
) -> None:
    """Exit 2 before anything is written."""
    monkeypatch.setenv(variable, value)
    for command in (["course", "list"], ["serve", "--port", "0"], ["doctor"]):
        ran = vta(*command)
        assert ran.code == 2
        assert named in ran.err
        assert "canary" not in ran.err
        assert ran.out == ""
    assert not (tmp_path / "home" / "vta.db").exists()


@pytest.mark.parametrize("starting", [["serve"], ["demo", "--no-open"]])
def test_a_port_in_use_stops_the_start(vta: Vta, tmp_path: Path, starting: list[str]) -> None:
    """Exit 2 with the port named; no data folder is made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = vta(*starting, "--port", port)
    assert ran.code == 2
    assert port in ran.err
    assert not (tmp_path / "home").exists()


# Help, and the real program


def _commands() -> dict[tuple[str, ...], Any]:
    """All commands and groups, by the words that call them."""

    def below(path: tuple[str, ...], command: Any) -> dict[tuple[str, ...], Any]:
        found = {path: command}
        for name in getattr(command, "commands", {}):
            found |= below((*path, name), command.get_command(None, name))
        return found

    return below((), typer.main.get_command(app))


def test_the_listed_help_is_that_of_the_command() -> None:
    """Lists are printed without importing the commands, and say the same."""
    for path, command in _commands().items():
        for name, listed in getattr(command, "commands", {}).items():
            called = command.get_command(None, name)
            assert listed.get_short_help_str(200) == called.get_short_help_str(200), (*path, name)


HEAVY = ("torch", "onnxruntime", "numpy", "tantivy", "rjieba", "opencc", "openpyxl", "fastapi", "networkx",
         "openai", "lxml", "authlib", "alembic", "docx", "pptx", "pypdfium2", "tokenizers")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "light"), [(["--help"], ("sqlalchemy", "pydantic")), (["course", "list"], ())]
)
def test_a_command_imports_only_what_it_needs(
    tmp_path: Path, arguments: list[str], light: tuple[str, ...]
) -> None:
    """Help needs neither store nor settings, and a list of courses no index, model or web server."""
    code = (
        "import json, sys\n"
        "from services.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "print('modules', json.dumps(sorted(sys.modules)))\n"
    )
    for _ in range(2):  # the first makes the store
        ran = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "VTA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            check=True,
        )
    loaded = set(json.loads(ran.stdout.splitlines()[-1].removeprefix("modules ")))
    assert not loaded & {*HEAVY, *light}


@pytest.mark.parametrize("path", _commands(), ids=" ".join)
def test_every_help_shows_an_example(vta: Vta, path: tuple[str, ...]) -> None:
    """`--help` exits 0 and shows how the command is used."""
    shown = vta(*path, "--help")
    assert shown.code == 0
    assert "Example:" in shown.out
    assert "vta " in " ".join(shown.out.split("Example:")[1].split())


@pytest.mark.slow
def test_the_program_runs_by_itself(vta: Vta, course: Path, tmp_path: Path) -> None:
    """As a process of its own: JSON on stdout, exit codes, `--home` before VTA_HOME."""

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "VTA_HOME": str(tmp_path / "other"), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "services.cli", *arguments, "--home", str(tmp_path / "home")]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
        )

    asked = run("ask", COURSE, "-", stdin='{"question": "What is a stack?"}\n{"question": "hello"}\n')
    assert asked.returncode == 0, asked.stderr
    assert [json.loads(line)["route"] for line in asked.stdout.splitlines()] == ["direct", "chit_chat"]
    refused = run("ask", "nowhere", "hello", "--json")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "nowhere" in refused.stderr
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
def test_the_demo_serves_what_it_created_with_the_model_that_is_configured(
    vta: Vta, tmp_path: Path, scripted_llm: ScriptedLlm
) -> None:
    """Two sample courses, one answered question, and a server whose first student gets the model's words."""
    scripted_llm.play(scripted_llm.ok("后进先出 [1]。"))
    settings = {"VTA_LLM_BASE_URL": scripted_llm.base_url, "VTA_LLM_MODEL": "m", "VTA_BETA": "50"}
    demo = subprocess.Popen(
        [sys.executable, "-u", "-m", "services.cli", "demo", "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **settings, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    assert demo.stdout is not None
    with demo, demo.stdout as lines:
        try:
            shown = ""
            while "Serving at " not in shown:
                line = lines.readline()
                assert line, shown
                shown += line
            address = shown.split("Serving at ")[1].split(";")[0]
            assert "data-structures-zh" in shown
            assert "machine-learning-en" in shown
            assert "后进先出" in shown
            with httpx.Client(base_url=address, timeout=60.0, trust_env=False) as client:
                question = {"question": "栈和队列有什么区别？"}
                url = "/v1/courses/data-structures-zh/dialogue"
                answers = [client.post(url, json=question).json() for _ in range(2)]
                assert [(answer["text"], answer["degraded"]) for answer in answers] == [
                    ("后进先出 [1]。", None)
                ] * 2
                assert client.get("/courses/machine-learning-en").status_code == 200
        finally:
            demo.send_signal(signal.SIGINT)
    assert demo.returncode is not None


def test_calibrate_learns_thresholds_that_every_answer_then_uses(
    vta: Vta, course: Path, tmp_path: Path
) -> None:
    """The risk-coverage curve is shown, and ask and search decide by the learned beta."""
    labelled = tmp_path / "labelled.jsonl"
    real = json.dumps({"question": "When is the homework due?", "answerable": True})
    other = json.dumps({"question": "Where is the front of a printer?", "answerable": False})
    labelled.write_text(f"{real}\n" * 150 + f"{other}\n" * 50)
    learned = vta("calibrate", COURSE, str(labelled), "--max-error", "0.05", "--json")
    assert learned.code == 0, learned.err
    assert {"alpha", "beta", "coverage", "error_upper_bound", "curve"} <= set(learned.json)
    assert learned.json["coverage"] == 0.75
    assert learned.json["error_upper_bound"] <= 0.05
    assert vta("search", COURSE, "When is the homework due?", "--json").json["beta"] == learned.json["beta"]
    answer = vta("ask", COURSE, "When is the homework due?", "--json").json
    assert (answer["route"], answer["ranking"]["beta"]) == ("direct", learned.json["beta"])
    assert "coverage" in vta("calibrate", COURSE, str(labelled)).out


def test_calibrate_refuses_what_it_cannot_learn_from(vta: Vta, course: Path, tmp_path: Path) -> None:
    """Too few questions, a faulty row and an unknown course: exit 2, the fault named, nothing kept."""
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text('{"question": "When is the homework due?", "answerable": true}\n')
    refused = vta("calibrate", COURSE, str(labelled))
    assert refused.code == 2
    assert "at least" in refused.err
    labelled.write_text('{"question": "When is the homework due?", "answerable": "yes"}\n')
    refused = vta("calibrate", COURSE, str(labelled))
    assert (refused.code, "line 1: answerable" in refused.err) == (2, True)
    labelled.write_text("not JSON\n")
    assert "line 1: Invalid JSON" in vta("calibrate", COURSE, str(labelled)).err
    assert vta("calibrate", "nope", str(labelled)).code == 2
    assert vta("search", COURSE, "homework", "--json").json["beta"] == Thresholds().beta


def test_evaluate_retrieval_measures_a_set_on_disk(vta: Vta, tmp_path: Path) -> None:
    """A BEIR folder gives one JSON line with its figures, n, seed and hash; what is no set is refused."""
    folder = tmp_path / "ir" / "tiny"
    folder.mkdir(parents=True)
    texts = {"d1": "A stack is last in, first out.", "d2": "Printers serve their jobs from a queue."}
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": id, "title": "", "text": text}) + "\n" for id, text in texts.items())
    )
    (folder / "queries.jsonl").write_text(
        json.dumps({"_id": "q1", "text": "How do printers work?"})
        + "\n"
        + json.dumps({"_id": "q2", "text": "Is a stack last in, first out?"})
        + "\n"
    )
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td2\t1\n")
    found = vta("evaluate", "retrieval", "--data", str(tmp_path / "ir"), "--json")
    assert found.code == 0, found.err
    assert {"set", "n", "seed", "data_sha256", "hit@1", "ndcg@10"} <= set(found.json)
    assert (found.json["set"], found.json["n"], found.json["hit@1"]["mean"]) == ("tiny", 2, 0.5)
    assert "tiny: hit@1 0.500" in vta("evaluate", "retrieval", str(folder)).out
    assert vta("evaluate", "retrieval", str(tmp_path / "nothing")).code == 2
    assert vta("evaluate", "retrieval").code == 2
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\tmuch\n")
    assert "qrels.tsv, line 2" in vta("evaluate", "retrieval", str(folder)).err


def test_evaluate_answers_asks_the_folds_of_the_sessions(vta: Vta, tmp_path: Path) -> None:
    """Repeated questions get their answer, others do not, and a beta that cannot be proven is refused."""
    rows = [
        {"id": n, "session_id": n, "question": f"What is topic {n % 5}?", "answer": f"It is number {n % 5}."}
        for n in range(40)
    ]
    rows.append({"id": 40, "session_id": 40, "question": "Zebra?", "answer": "cannot_answer"})
    file = tmp_path / "qa.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = vta("evaluate", "answers", "--data", str(file), "--json").json
    assert (report["n"], report["answerable"]) == (41, 40)
    assert report["best_answer"]["rouge_l"] == 1.0
    assert report["calibrated"] is None
    assert "at least" in report["refused"]


def test_the_version_is_told(vta):
    told = vta("--version")
    assert (told.code, told.out) == (0, f"vta {__version__}\n")
