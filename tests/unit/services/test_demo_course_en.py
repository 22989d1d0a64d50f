"""The English sample course is complete, well formed and free of wrong figures in its code."""

import contextlib
import csv
import io
import itertools
import json
import re
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable

import networkx as nx
import pysubs2
import pytest

COURSE: Traversable = resources.files("services").joinpath("demo", "courses", "machine-learning-en")


def read(*path: str) -> str:
    """The text of one file of the course."""
    folder = COURSE if path[0] in ("course.json", "page.md") else COURSE / "material"
    return folder.joinpath(*path).read_text(encoding="utf-8")


def names(folder: str) -> list[str]:
    """The file names in `folder`, sorted."""
    return sorted(entry.name for entry in COURSE.joinpath("material", folder).iterdir())


def faq_rows(name: str) -> list[list[str]]:
    """All rows of an FAQ table, header first."""
    return list(csv.reader(io.StringIO(read(name))))


def concepts() -> list[dict[str, object]]:
    """The concepts as they stand in the file."""
    loaded: list[dict[str, object]] = json.loads(read("concepts.json"))["concepts"]
    return loaded


def prerequisite_graph() -> "nx.DiGraph[str]":
    """One node for each concept, one edge from each prerequisite to its concept."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for concept in concepts():
        graph.add_node(str(concept["name"]))
    for concept in concepts():
        prerequisites = concept["prerequisites"]
        assert isinstance(prerequisites, list)
        graph.add_edges_from((name, str(concept["name"])) for name in prerequisites)
    return graph


def code_blocks() -> Iterator[tuple[str, str]]:
    """Each Python block of the notes with the name of its note."""
    for name in names("notes"):
        for block in re.findall(r"```python\n(.*?)```", read("notes", name), re.DOTALL):
            yield name, block


def test_the_course_file_names_the_course_and_its_domains() -> None:
    """The course file holds the id, name, domains and language that wiring expects."""
    assert json.loads(read("course.json")) == {
        "id": "machine-learning-en",
        "name": "Machine Learning Basics",
        "domains": ["Computer Science", "Machine Learning"],
        "language": "en",
    }


def test_there_are_at_least_ten_notes_and_ten_subtitle_files_with_three_vtt() -> None:
    """The course has enough material of each kind."""
    subtitles = names("subtitles")
    assert len(names("notes")) >= 10
    assert len(subtitles) >= 10
    assert sum(name.endswith(".vtt") for name in subtitles) == 3
    assert all(name.endswith((".srt", ".vtt")) for name in subtitles)


@pytest.mark.parametrize("name", names("notes"))
def test_each_note_has_one_title_then_sections(name: str) -> None:
    """A note is 350 to 700 words with one title and at least three sections."""
    text = read("notes", name)
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert text.startswith("# ")
    assert len(re.findall(r"^# ", prose, re.MULTILINE)) == 1
    assert len(re.findall(r"^## ", prose, re.MULTILINE)) >= 3
    assert 350 <= len(text.split()) <= 700
    assert text.count("$") % 2 == 0


@pytest.mark.parametrize(("name", "block"), list(code_blocks()))
def test_each_code_block_prints_what_its_comments_say(name: str, block: str) -> None:
    """Every comment in a code block is a line of its output, in order."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(block, name, "exec"), {})
    promised = re.findall(r"(?:^|  )# (.*)$", block, re.MULTILINE)
    assert promised
    assert output.getvalue().splitlines() == promised


@pytest.mark.parametrize("name", names("subtitles"))
def test_each_subtitle_file_parses_with_rising_times(name: str) -> None:
    """A lecture is 35 to 60 cues of 3 to 7 seconds in 4 to 7 minutes, none overlapping."""
    cues = list(pysubs2.SSAFile.from_string(read("subtitles", name), format_=name[-3:]))
    assert 35 <= len(cues) <= 60
    assert all(cue.plaintext.strip() for cue in cues)
    assert all(3000 <= cue.end - cue.start <= 7000 for cue in cues)
    assert all(before.end <= after.start for before, after in itertools.pairwise(cues))
    assert 4 * 60_000 <= cues[-1].end <= 7 * 60_000


@pytest.mark.parametrize(("name", "least"), [("faq.csv", 40), ("platform_faq.csv", 15)])
def test_each_faq_table_has_two_full_columns_and_no_repeated_question(name: str, least: int) -> None:
    """An FAQ table is question and answer, all filled, each question once."""
    header, *rows = faq_rows(name)
    assert header == ["question", "answer"]
    assert len(rows) >= least
    assert all(len(row) == 2 and all(cell.strip() for cell in row) for row in rows)
    questions = [row[0].casefold() for row in rows]
    assert len(set(questions)) == len(questions)


def test_no_faq_or_heading_compares_precision_with_recall() -> None:
    """That comparison has to be composed from the two definitions, so no text gives it away."""
    questions = [row[0] for name in ("faq.csv", "platform_faq.csv") for row in faq_rows(name)[1:]]
    headings = [
        line for name in names("notes") for line in read("notes", name).splitlines() if line[:1] == "#"
    ]
    for text in (*questions, *headings):
        assert not ("precision" in text.casefold() and "recall" in text.casefold())


def test_each_concept_is_defined_once_with_a_chinese_alias() -> None:
    """At least 45 concepts, each with a definition, domains and a Chinese alias; no name is shared."""
    entries = concepts()
    surfaces: list[str] = []
    for entry in entries:
        assert set(entry) == {"name", "aliases", "definition", "domains", "prerequisites"}
        aliases, definition = entry["aliases"], entry["definition"]
        assert isinstance(aliases, list)
        assert any(re.search(r"[\u4e00-\u9fff]", alias) for alias in aliases)
        assert isinstance(definition, str)
        assert definition.endswith(".")
        assert entry["domains"]
        surfaces += [str(entry["name"]).casefold(), *(alias.casefold() for alias in aliases)]
    assert len(entries) >= 45
    assert len(set(surfaces)) == len(surfaces)


def test_every_prerequisite_is_defined_and_direct_and_no_cycle_exists() -> None:
    """The prerequisite graph is acyclic, closed, and equal to its transitive reduction."""
    graph = prerequisite_graph()
    assert set(graph) == {entry["name"] for entry in concepts()}
    assert nx.is_directed_acyclic_graph(graph)
    assert set(graph.edges) == set(nx.transitive_reduction(graph).edges)
    assert max(degree for _, degree in graph.in_degree()) <= 3


@pytest.mark.parametrize("name", ["precision", "recall", "gradient descent", "overfitting"])
def test_the_concepts_of_the_tour_have_prerequisites(name: str) -> None:
    """The concepts that the tour asks about have something to stand on."""
    assert list(prerequisite_graph().predecessors(name))


def test_the_course_page_names_every_week() -> None:
    """The page beside the sidebar has the title of the course and a short week list."""
    lines = read("page.md").splitlines()
    assert lines[0] == "# Machine Learning Basics"
    assert 20 <= len(lines) <= 40
    assert sum(bool(re.match(r"\d+\. ", line)) for line in lines) == 11
