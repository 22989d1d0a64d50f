"""What every `Reranker` holds: a cross-encoder in a folder, and a server in either shape of `/rerank`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import Call, ScriptedLlm
from word_vectors import write_cross_encoder

from knowledge.rerank import LocalReranker, ServedReranker
from services.settings import read_settings
from vta.dialogue.retrieval import RERANKED, rerank
from vta.errors import InvalidInput, UpstreamFailed
from vta.ports import Reranker
from vta.types.courses import CourseId, PairId
from vta.types.pairs import Candidate, QAPair, Source

TEXTS = ["queue b c", "stack a", "z", ""]


def shape(name: str) -> Any:
    """A server that scores a text by the words that it shares with the question."""

    async def scene(call: Call) -> None:
        body = call.request.body
        texts = body.get("texts" if name == "tei" else "documents")
        if texts is None:
            await call.respond(422, b"{}", "application/json")
            return
        words = set(body["query"].split())
        scores = [len(words & set(text.split())) / 9 for text in texts]
        key = "score" if name == "tei" else "relevance_score"
        rows = [{"index": n, key: score} for n, score in enumerate(scores)]
        rows.sort(key=lambda row: -row[key])
        reply: Any = rows if name == "tei" else {"results": rows}
        await call.respond(200, json.dumps(reply).encode(), "application/json")

    return scene


@pytest.fixture(params=["local", "cohere", "tei"])
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reranker]:
    if request.param == "local":
        pytest.importorskip("onnx", reason="local reranking not proven: onnx is not installed")
        yield LocalReranker(write_cross_encoder(tmp_path / "model"))
        return
    server: ScriptedLlm = request.getfixturevalue("scripted_llm").play(shape(request.param))
    served = ServedReranker(url=f"{server.base_url}/rerank", api_key="k", model="m")
    yield served
    served.close()
    assert server.requests[-1].headers["authorization"] == "Bearer k" if server.requests else True


def test_every_text_has_a_finite_number_and_the_better_one_a_higher(reranker: Reranker) -> None:
    scores = reranker.scores("stack", TEXTS)
    assert len(scores) == len(TEXTS)
    assert all(map(math.isfinite, scores))
    assert max(scores) == scores[1]


def test_a_text_has_its_number_whatever_stands_beside_it(reranker: Reranker) -> None:
    alone = reranker.scores("stack", [TEXTS[1]])
    assert reranker.scores("stack", [*TEXTS[::-1], "a " * 50_000])[2] == pytest.approx(alone[0], abs=1e-3)


def test_no_text_has_no_number(reranker: Reranker) -> None:
    assert list(reranker.scores("stack", [])) == []


@pytest.mark.parametrize(
    "body",
    [b"{}", b"<p>", b'{"results":[]}', b'{"results":[{"index":0,"relevance_score":NaN}]}', b"[1]", b"null"],
)
def test_a_server_that_gives_no_scores_fails_and_the_order_stays(
    scripted_llm: ScriptedLlm, body: bytes
) -> None:
    scripted_llm.play(scripted_llm.body(body))
    served = ServedReranker(url=scripted_llm.base_url)
    with pytest.raises(UpstreamFailed, match="the reranker sent something that is not an answer"):
        served.scores("q", ["a"])
    order, degraded = rerank("q", [candidate("a"), candidate("b")], served)
    served.close()
    assert [each.pair.answer for each in order] == ["a", "b"]
    assert degraded is not None
    assert degraded.stage == "reranking"


def test_a_server_that_is_away_slow_or_sends_us_elsewhere_fails(scripted_llm: ScriptedLlm) -> None:
    away = ServedReranker(url=scripted_llm.refused_url())
    with pytest.raises(UpstreamFailed, match="cannot be reached"):
        away.scores("q", ["a"])
    served = ServedReranker(url=scripted_llm.base_url, timeout_s=0.3)
    scripted_llm.play(scripted_llm.status(307, ("Location", "/elsewhere")), scripted_llm.hang())
    with pytest.raises(UpstreamFailed, match="did not accept"):
        served.scores("q", ["a"])
    with pytest.raises(UpstreamFailed, match="in time"):
        served.scores("q", ["a"])
    served.close()


def candidate(text: str) -> Candidate:
    pair = QAPair(id=PairId(text), course_id=CourseId("c"), source=Source.MATERIAL, question="", answer=text)
    return Candidate(pair=pair, bm25=1.0, weight=1.0, score=1.0)


def test_the_first_thirty_are_ordered_and_the_others_follow() -> None:
    class ByLength:
        def scores(self, question: str, texts: Any) -> list[float]:
            assert len(texts) == RERANKED
            return [float(len(text)) for text in texts]

    given = [candidate("x" * n) for n in range(1, 41)]
    order, degraded = rerank("q", given, ByLength())
    assert [len(each.pair.answer) for each in order] == [*range(30, 0, -1), *range(31, 41)]
    assert degraded is None


def test_a_folder_without_a_model_and_two_rerankers_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=r"tokenizer\.json"):
        LocalReranker(tmp_path)
    monkeypatch.setenv("VTA_RERANK_FOLDER", str(tmp_path))
    monkeypatch.setenv("VTA_RERANK_URL", "http://localhost:9/rerank")
    with pytest.raises(InvalidInput, match="VTA_RERANK_FOLDER"):
        read_settings()
