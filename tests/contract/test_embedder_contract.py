"""What every `Embedder` holds: the token table, a local ONNX model, a server, and what stands before them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from word_vectors import small_token_table

from knowledge.vectors.caching import CachedEmbedder
from knowledge.vectors.local_model import LocalEmbedder, Prefixes, read_prefixes, two_sides
from knowledge.vectors.token_table import TokenTable, shipped_encoder
from services.language_model.embeddings import OpenAiEmbedder
from vta.errors import InvalidInput

TEXTS = ["stack a", "queue b c", "栈", "a b c d e f", "z", ""]


@pytest.fixture(params=["table", "shipped", "local", "served", "cached", "prefixed", "words"])
def embedder(request, tmp_path, word_vectors):
    if request.param == "table":
        yield TokenTable(small_token_table())
    elif request.param == "shipped":
        yield shipped_encoder()
    elif request.param == "prefixed":
        yield two_sides(word_vectors(), Prefixes(query="q: "))[0]
    elif request.param == "local":
        yield LocalEmbedder(request.getfixturevalue("onnx_model")())
    elif request.param == "served":
        model = word_vectors()

        async def embeddings(call) -> None:
            rows = model.embed(call.request.body["input"]).tolist()
            data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
            body = {"object": "list", "model": "m", "data": data[::-1], "usage": {}}
            await call.respond(200, json.dumps(body).encode(), "application/json")

        server = request.getfixturevalue("scripted_llm").play(embeddings)
        served = OpenAiEmbedder(base_url=server.base_url, api_key="", model="m")
        yield served
        served.close()
    elif request.param == "cached":
        yield CachedEmbedder(word_vectors(), tmp_path)
    else:
        yield word_vectors()


def test_every_text_has_a_row_of_unit_length(embedder):
    """n texts give n x d, also one without any word, one of any length, and none; the name stays."""
    name, texts = embedder.name, [*TEXTS, "a " * 50_000]
    rows = embedder.embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape[0] == len(texts)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    assert len(embedder.embed([])) == 0
    assert name == embedder.name != ""


def test_a_text_has_its_row_whatever_stands_beside_it(embedder):
    """Neither order, nor length of the others, nor batches change a row; other texts have other rows."""
    many = embedder.embed([*TEXTS, *(f"a {n % 7} b" for n in range(150)), TEXTS[0]])
    for place, text in enumerate(TEXTS):
        assert embedder.embed([text])[0] == pytest.approx(many[place], abs=1e-3)
    assert many[-1] == pytest.approx(many[0], abs=1e-3)
    assert float(many[0] @ many[1]) < 0.999


def test_another_local_model_has_another_name(onnx_model):
    """Weights, pooling and length tell models apart; the folder does not."""
    one, same = LocalEmbedder(onnx_model(seed=1)), LocalEmbedder(onnx_model(seed=1))
    weights, pooling = onnx_model(seed=2), onnx_model(seed=1, first_token=True)
    shorter = onnx_model(seed=1)
    (shorter / "sentence_bert_config.json").write_text('{"max_seq_length": 8}')
    names = {LocalEmbedder(folder).name for folder in (weights, pooling, shorter)}
    assert one.name == same.name
    assert len({one.name, *names}) == 4


def test_a_local_model_pools_as_its_folder_says(onnx_model):
    """By the mean over all tokens, or by the first token, which is the same for every text here."""
    mean = LocalEmbedder(onnx_model()).embed(["a b", "c"])
    first = LocalEmbedder(onnx_model(first_token=True)).embed(["a b", "c"])
    assert mean[0] != pytest.approx(mean[1], abs=1e-3)
    assert first[0] == pytest.approx(first[1], abs=1e-6)


def test_a_local_model_reads_no_more_than_its_length(onnx_model):
    """What stands after the 24 tokens of the folder's length changes nothing."""
    model = LocalEmbedder(onnx_model())
    rows = model.embed(["a " * 30 + "b " * 9, "a " * 60, "a a b"])
    assert rows[0] == pytest.approx(rows[1], abs=1e-6)
    assert rows[0] != pytest.approx(rows[2], abs=1e-3)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        *(("model.onnx", content) for content in ("{ broken", None)),
        *(("tokenizer.json", content) for content in ("{ broken", None)),
        ("1_Pooling/config.json", "{ broken"),
    ],
)
def test_a_file_that_is_broken_or_missing_is_named(onnx_model, file, content):
    """By its path."""
    folder = onnx_model()
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content)
    with pytest.raises(InvalidInput) as raised:
        LocalEmbedder(folder)
    assert raised.value.path == str(folder / file)


def test_the_cache_asks_for_a_text_once(tmp_path, word_vectors):
    """Also in the next process; a model of another name has a cache of its own."""
    model = word_vectors()
    first = CachedEmbedder(model, tmp_path).embed(["a b", "c", "a b"])
    again = CachedEmbedder(model, tmp_path).embed(["c", "d", "a b"])
    assert model.asked == ["a b", "c", "d"]
    assert np.array_equal(again[[2, 0]], first[[0, 1]])
    other = word_vectors("other")
    CachedEmbedder(other, tmp_path).embed(["c"])
    assert other.asked == ["c"]


def test_the_cache_forgets_a_model_that_changed_its_dimension(tmp_path, word_vectors):
    """A server may put another model behind the same name."""
    CachedEmbedder(word_vectors(dimensions=8), tmp_path).embed(["a", "b"])
    rows = CachedEmbedder(word_vectors(dimensions=4), tmp_path).embed(["a", "c"])
    assert rows.shape == (2, 4)


def test_a_token_table_cuts_words_as_its_vocabulary_has_them():
    """Case, punctuation and full width do not count, the longest known word does, and the order does not."""
    table = TokenTable(small_token_table())
    rows = table.embed(["Stack, 队列", "队列 ｓｔａｃｋ!", "s t a c k 队列", "stack 队 列"])
    assert rows[0] == pytest.approx(rows[1], abs=1e-6)
    assert rows[0] != pytest.approx(rows[2], abs=1e-2)
    assert rows[0] != pytest.approx(rows[3], abs=1e-2)


def test_another_token_table_has_another_name():
    """The name is that of the file's content."""
    names = [TokenTable(small_token_table(seed)).name for seed in (0, 0, 1)]
    assert names[0] == names[1] != names[2]


def test_each_side_gets_its_prefix(word_vectors):
    """Both under one name, and another prefix is another name."""
    model = word_vectors()
    query, passage = two_sides(model, Prefixes(query="q: ", passage="p: "))
    query.embed(["stack"])
    passage.embed(["stack"])
    assert model.asked == ["q: stack", "p: stack"]
    assert query.name == passage.name != two_sides(model, Prefixes(query="q: "))[0].name
    assert two_sides(model, Prefixes()) == (model, model)


def test_a_local_model_names_its_prefixes(onnx_model):
    """As sentence-transformers writes them down; nothing where it names none."""
    folder = onnx_model()
    assert read_prefixes(folder) == Prefixes()
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    assert read_prefixes(folder) == Prefixes(query="query: ", passage="passage: ")
