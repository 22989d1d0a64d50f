"""The index that the settings name, with its vectors unless they are switched off."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge.index import PairIndex
from knowledge.index.embedded import EmbeddedIndex
from services.settings import Settings, reveal
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import Embedder, Reranker
from vta.types.courses import CourseId

if TYPE_CHECKING:
    from knowledge.learned_ranking import VectorSide
    from knowledge.vectors.local_model import Prefixes
    from knowledge.vectors.rows import VectorIndex


NO_VECTORS = Path("none")
"""The folder that turns vectors off."""
_HUB_FILES = ("model.onnx*", "onnx/model.onnx*", "tokenizer.json", "*config*.json", "1_Pooling/config.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParts:
    """The index, and its vectors unless they are switched off."""

    index: PairIndex
    vectors: VectorSide | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """The embedders of questions and of passages, of one name."""

    questions: Embedder
    passages: Embedder


def build_search(
    settings: Settings, connections: ExitStack, *, courses: Callable[[], Iterable[CourseId]]
) -> SearchParts:
    """Elasticsearch where a URL is set, else the embedded index; nothing is sent yet.

    `courses` reads which there are. What must be closed at the end is given to `connections`.
    """
    encoder = build_encoder(settings, connections)
    if settings.elasticsearch_url is not None:
        return _build_elasticsearch(settings, settings.elasticsearch_url, encoder, connections, courses)
    if encoder is None:
        return SearchParts(index=EmbeddedIndex(settings.home / "index"))
    from knowledge.vectors.embedded import EmbeddedVectors, VectorFile

    index = EmbeddedIndex(settings.home / "index", beside=VectorFile(encoder.passages))
    vectors = EmbeddedVectors(index, model=encoder.passages.name)
    return SearchParts(index=index, vectors=_vector_side(encoder, vectors))


def _build_elasticsearch(
    settings: Settings,
    urls: str,
    encoder: Encoder | None,
    connections: ExitStack,
    courses: Callable[[], Iterable[CourseId]],
) -> SearchParts:
    try:
        from knowledge.index.elasticsearch import ElasticsearchIndex
        from knowledge.index.elasticsearch_client import open_client
    except ImportError as error:
        raise InvalidInput(Fault("setting.elasticsearch_extra"), field="VTA_ELASTICSEARCH_URL") from error
    try:
        client = open_client(
            urls.split(","),
            api_key=reveal(settings.elasticsearch_api_key) or None,
            timeout_s=settings.elasticsearch_timeout_s,
        )
    except ValueError:  # its words repeat the URL, which may hold a password
        raise InvalidInput(Fault("setting.elasticsearch_urls"), field="VTA_ELASTICSEARCH_URL") from None
    connections.callback(client.close)
    alias = settings.elasticsearch_index
    beside = vectors = None
    if encoder is not None:
        from knowledge.vectors.elasticsearch import ElasticsearchVectors, VectorField

        beside = VectorField(client, encoder.passages)
        found = ElasticsearchVectors(client, alias=alias, model=encoder.passages.name)
        vectors = _vector_side(encoder, found)
    index = ElasticsearchIndex(client, alias=alias, beside=beside, courses=courses)
    return SearchParts(index=index, vectors=vectors)


def build_encoder(settings: Settings, connections: ExitStack) -> Encoder | None:
    """The encoder of the settings, else the shipped one; None without vectors, and no code of them."""
    if settings.embeddings_folder == NO_VECTORS:
        return None
    from knowledge.vectors.caching import CachedEmbedder
    from knowledge.vectors.local_model import two_sides

    chosen = _chosen_embedder(settings, connections)
    if chosen is None:
        from knowledge.vectors.token_table import shipped_encoder

        return Encoder(questions=shipped_encoder(), passages=shipped_encoder())
    embedder, prefixes = chosen
    named = {"query": settings.embeddings_query_prefix, "passage": settings.embeddings_passage_prefix}
    prefixes = replace(prefixes, **{side: prefix for side, prefix in named.items() if prefix is not None})
    questions, passages = two_sides(embedder, prefixes)
    return Encoder(questions=questions, passages=CachedEmbedder(passages, settings.home / "embeddings"))


def build_reranker(settings: Settings, connections: ExitStack) -> Reranker | None:
    """The reranker of the settings; None without one, whose code is not loaded then."""
    if settings.rerank_url is None and settings.rerank_folder is None:
        return None
    from knowledge.rerank import LocalReranker, ServedReranker

    if settings.rerank_url is not None:
        key = reveal(settings.rerank_api_key)
        served = ServedReranker(url=settings.rerank_url, api_key=key, model=settings.rerank_model)
        connections.callback(served.close)
        return served
    try:
        return LocalReranker(settings.rerank_folder or Path())
    except InvalidInput as error:
        raise InvalidInput(
            Fault("setting.rerank_folder", reason=error.fault), field="VTA_RERANK_FOLDER", path=error.path
        ) from error


def _chosen_embedder(settings: Settings, connections: ExitStack) -> tuple[Embedder, Prefixes] | None:
    """The model that the settings name, with the prefixes that its own files name."""
    from knowledge.vectors.local_model import Prefixes

    if settings.embeddings_base_url is not None and settings.embeddings_model is not None:
        from services.language_model.embeddings import OpenAiEmbedder

        embedder = OpenAiEmbedder(
            base_url=settings.embeddings_base_url,
            api_key=reveal(settings.embeddings_api_key),
            model=settings.embeddings_model,
            timeout_s=settings.embeddings_timeout_s,
        )
        connections.callback(embedder.close)
        return embedder, Prefixes()
    folder = settings.embeddings_folder
    if settings.embeddings_model is not None:
        folder = _fetch_model(settings.embeddings_model, settings.home / "models")
    if folder is None:
        return None
    from knowledge.vectors.local_model import LocalEmbedder, read_prefixes

    try:
        return LocalEmbedder(folder), read_prefixes(folder)
    except InvalidInput as error:
        raise InvalidInput(
            Fault("setting.embeddings_folder", reason=error.fault),
            field="VTA_EMBEDDINGS_FOLDER",
            path=error.path,
        ) from error


def _fetch_model(name: str, kept: Path) -> Path:
    """The folder of a Hugging Face model; fetched once, then read from the data folder."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise InvalidInput(Fault("setting.vectors_extra"), field="VTA_EMBEDDINGS_MODEL") from error
    try:
        return Path(snapshot_download(name, cache_dir=kept, allow_patterns=list(_HUB_FILES)))
    except (OSError, ValueError) as error:
        fault = Fault("setting.embeddings_fetch", model=name, reason=str(error))
        raise InvalidInput(fault, field="VTA_EMBEDDINGS_MODEL") from error


def _vector_side(encoder: Encoder, index: VectorIndex) -> VectorSide:
    from knowledge.learned_ranking import VectorSide

    return VectorSide(questions=encoder.questions, passages=encoder.passages, index=index)
