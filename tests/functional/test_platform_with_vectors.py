"""A platform with vectors switched on by its settings: what changes, what must not, and what fails gently."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import uuid
from contextlib import contextmanager
from pathlib import Path

import pytest

from knowledge.index.elasticsearch_client import open_client
from knowledge.vectors.token_table import shipped_encoder
from services.dialogue.lookup import look_up
from services.indexing.search_wiring import NO_VECTORS
from services.settings import Settings, read_settings
from services.wiring import build_platform
from vta.errors import InvalidInput
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.answers import Route
from vta.types.courses import Course, CourseId
from vta.types.questions import Question

FAQ = (
    "question,answer\n"
    "certificate requirements,Score at least 60 points.\n"
    "homework deadline,Every Sunday.\n"
    "exam room,See the notice board.\n"
)
COURSE = Course(id=CourseId("c"), name="C", domains=("d",), language=Language.EN)
SYNONYMS = {"diploma": "certificate", "conditions": "requirements", "?": ""}
PARAPHRASE = "diploma conditions"


@pytest.fixture
def server(scripted_llm, word_vectors):
    """An embeddings server for which `SYNONYMS` mean the same; `model.down` makes it fail."""
    scripted_llm.model = word_vectors(synonyms=SYNONYMS)

    async def embeddings(call) -> None:
        if scripted_llm.model.down:
            await call.respond(401, b"{}", "application/json")
            return
        rows = scripted_llm.model.embed(call.request.body["input"]).tolist()
        data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
        await call.respond(200, json.dumps({"object": "list", "data": data}).encode(), "application/json")

    return scripted_llm.play(embeddings)


@pytest.fixture(params=["embedded", "elasticsearch"])
def engine(request):
    """The settings of an engine; what was made on a server is removed."""
    if request.param == "embedded":
        yield {}
        return
    url, alias = request.getfixturevalue("elasticsearch_url"), f"vta-test-{uuid.uuid4().hex[:12]}"
    yield {"elasticsearch_url": url, "elasticsearch_index": alias}
    with open_client([url], api_key=None, timeout_s=30.0) as client:
        for name in client.indices.get(index=f"{alias}.*"):
            client.indices.delete(index=name)


@contextmanager
def opened(home: Path, server=None, model: str = "m", **settings):
    """The platform of a folder, filled where it is new; with vectors where a server or a folder is given."""
    if server is not None:
        settings |= {"embeddings_base_url": server.base_url, "embeddings_model": model}
    else:
        settings.setdefault("embeddings_folder", NO_VECTORS)
    new = not home.exists()
    vta = build_platform(Settings(home=home, **settings))
    try:
        if new:
            vta.stores.courses.add(COURSE)
            file = home / "faq.csv"
            file.write_text(FAQ, encoding="utf-8")
            ingest([file], course=COURSE, readers=vta.readers, documents=vta.stores.documents)
        yield vta
    finally:
        vta.close()


def asked(vta, text: str):
    return look_up(vta, COURSE, text, top=10).ranking


def questions(ranking) -> list[str]:
    return [candidate.pair.question for candidate in ranking.candidates]


def test_a_paraphrase_is_found_by_vectors_alone(tmp_path, server, engine):
    """Without a common word nothing is found by words; with vectors the right pair, its S still 0."""
    with opened(tmp_path / "home", **engine) as vta:
        assert questions(asked(vta, PARAPHRASE)) == []
    with opened(tmp_path / "home", server, **engine) as vta:
        found = asked(vta, PARAPHRASE).candidates[0]
        assert found.pair.question == "certificate requirements"
        assert (found.score, found.bm25, found.weight) == (0.0, 0.0, 1.0)
        assert found.similarity == pytest.approx(1.0, abs=1e-4)
        both = asked(vta, "homework deadline").candidates[0]
        assert both.pair.question == "homework deadline"
        assert both.score == pytest.approx(1.0, abs=0.2)
        assert both.similarity == pytest.approx(1.0, abs=1e-4)


def test_switching_model_or_vectors_rebuilds_the_index(tmp_path, server, engine):
    """Another model, none, and the first again: each time the index is made anew, and texts are kept."""
    stamps = []
    for settings in ({"server": server}, {"server": server, "model": "other"}, {}, {"server": server}):
        with opened(tmp_path / "home", **settings, **engine) as vta:
            ranking = asked(vta, "homework deadline")
            assert questions(ranking)[0] == "homework deadline"
            assert ranking.degraded is None
            stamps.append(vta.index.stamp())
    assert len(set(stamps)) == 3
    assert stamps[0] == stamps[3]
    texts = [text for request in server.requests for text in request.body["input"]]
    assert texts.count("exam room") == 2  # once a model


async def test_a_similar_pair_supports_an_answer_and_never_is_one(tmp_path, server):
    """It is taught with its citation, not given as a direct answer, and the trace tells the similarity."""
    with opened(tmp_path / "home", server, alpha=1.0, relevance=0.2) as vta:
        answer = await vta.assistant.answer(Question(course_id=COURSE.id, text=PARAPHRASE))
    assert answer.route is Route.CHAIN_OF_TEACH
    assert [citation.passage for citation in answer.citations] == ["Score at least 60 points."]
    (told,) = [step.decision for step in answer.trace if step.stage == "ranking"]
    assert "similarity = 1.000" in told
    with opened(tmp_path / "home", alpha=1.0) as vta:
        answer = await vta.assistant.answer(Question(course_id=COURSE.id, text=PARAPHRASE))
    assert answer.route is Route.UNANSWERED


async def test_a_failing_server_leaves_the_words(tmp_path, server):
    """The answer is made from words alone; ranking, answer and trace say that vectors are missing and why."""
    with opened(tmp_path / "home", server, alpha=1.0) as vta:
        asked(vta, "homework deadline")
        server.model.down = True
        ranking = asked(vta, "homework deadline")
        answer = await vta.assistant.answer(Question(course_id=COURSE.id, text="homework deadline"))
    assert questions(ranking) == ["homework deadline"]
    assert ranking.degraded is not None
    assert ranking.degraded.stage == "vectors"
    assert answer.route is Route.DIRECT
    assert answer.degraded == ranking.degraded
    assert any("without vectors: the embeddings server refused our key" in s.decision for s in answer.trace)


def test_an_index_made_without_its_server_says_so_until_it_is_made_anew(tmp_path, server):
    """The pairs are searchable by words at once; `vta reindex` brings the vectors."""
    server.model.down = True
    with opened(tmp_path / "home", server) as vta:
        assert questions(asked(vta, "homework deadline")) == ["homework deadline"]
        server.model.down = False
        ranking = asked(vta, PARAPHRASE)
        assert ranking.degraded is not None
        assert "vta reindex" in ranking.degraded.reason
        vta.knowledge.reindex()
        assert questions(asked(vta, PARAPHRASE))[0] == "certificate requirements"


@pytest.mark.slow
def test_the_search_command_tells_similarities_only_with_vectors(tmp_path, server):
    """The same command; one field more a hit, and `degraded` only where something is."""

    def search(*more: str) -> dict[str, object]:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("VTA_")}
        for setting in more:
            key, _, value = setting.partition("=")
            environment[key] = value
        command = [sys.executable, "-m", "services.cli", "search", "c", "homework deadline", "--json"]
        done = subprocess.run(
            [*command, "--home", str(tmp_path / "home")],
            env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return json.loads(done.stdout)

    with opened(tmp_path / "home"):
        pass
    plain = search("VTA_EMBEDDINGS_FOLDER=none")
    url = f"VTA_EMBEDDINGS_BASE_URL={server.base_url}"
    with_vectors = search(url, "VTA_EMBEDDINGS_MODEL=m")
    assert set(plain) == {"query", "terms", "beta", "hits"} == set(with_vectors)
    assert set(with_vectors["hits"][0]) == {*plain["hits"][0], "similarity"}
    server.model.down = True
    assert search(url, "VTA_EMBEDDINGS_MODEL=m")["degraded"]["stage"] == "vectors"


def test_nothing_of_vectors_is_imported_when_they_are_off(tmp_path):
    """Neither our code for them nor its libraries, but the encoder by which calls for help are recognised."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom services.settings import Settings\n"
        "from services.wiring import build_platform\n"
        f"build_platform(Settings(home=Path({str(tmp_path)!r}), embeddings_folder=Path('none'))).close()\n"
        "print([name for name in sys.modules if name.startswith(('knowledge.vectors', 'huggingface_hub'))])\n"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith("VTA_")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    encoder = ["knowledge.vectors", "knowledge.vectors.rows", "knowledge.vectors.token_table"]
    assert sorted(ast.literal_eval(done.stdout)) == encoder


def test_a_local_model_is_switched_on_by_its_folder(tmp_path, onnx_model):
    """No server is needed."""
    with opened(tmp_path / "home", embeddings_folder=onnx_model()) as vta:
        (first, *_) = asked(vta, "homework deadline").candidates
    assert first.pair.question == "homework deadline"
    assert first.similarity == pytest.approx(1.0, abs=1e-4)


def test_the_encoder_of_the_program_is_the_default(tmp_path):
    """Nothing is set, and what means the same in the other language is nearer than what does not."""
    with opened(tmp_path / "home", embeddings_folder=None) as vta:
        assert vta.embedder is shipped_encoder()
        assert asked(vta, "homework deadline").candidates[0].similarity == pytest.approx(1.0, abs=1e-4)
        asked_for, same, other = vta.embedder.embed(["作业截止日期", "homework deadline", "exam room"])
        assert asked_for @ same > asked_for @ other + 0.1


def test_a_model_that_cannot_be_fetched_names_the_setting(tmp_path):
    """No name of Hugging Face is asked for here: what is no name is refused before anything is sent."""
    with pytest.raises(InvalidInput, match=r"^VTA_EMBEDDINGS_MODEL: cannot fetch no/such/name"):
        build_platform(Settings(home=tmp_path / "home", embeddings_model="no/such/name"))


def test_a_folder_that_is_no_model_names_the_setting(tmp_path):
    """And the file that is missing."""
    with pytest.raises(InvalidInput, match=r"^VTA_EMBEDDINGS_FOLDER: .*tokenizer.json"):
        build_platform(Settings(home=tmp_path / "home", embeddings_folder=tmp_path))


def test_settings_of_vectors_fit_together(monkeypatch):
    """A server needs a model, and there is one embedding model, not two."""
    monkeypatch.setenv("VTA_EMBEDDINGS_BASE_URL", "http://localhost:9/v1")
    with pytest.raises(InvalidInput, match=r"^VTA_EMBEDDINGS_MODEL"):
        read_settings()
    monkeypatch.setenv("VTA_EMBEDDINGS_MODEL", "m")
    monkeypatch.setenv("VTA_EMBEDDINGS_FOLDER", "model")
    with pytest.raises(InvalidInput, match=r"^VTA_EMBEDDINGS_FOLDER"):
        read_settings()
