"""The index that the settings name, with its vectors where they are switched on."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knowledge.index.embedded import EmbeddedIndex
from services.settings import Settings, reveal
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import Embedder, PairIndex

if TYPE_CHECKING:
    from knowledge.vectors.fusion import VectorSide
    from knowledge.vectors.nearest import VectorIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParts:
    """The index, and its vectors where they are switched on."""

    index: PairIndex
    vectors: VectorSide | None = None


def build_search(settings: Settings, connections: ExitStack) -> SearchParts:
    """Elasticsearch where a URL is set, else the embedded index; nothing is sent yet.

    What must be closed at the end is given to `connections`.
    """
    embedder = build_embedder(settings, connections)
    if settings.elasticsearch_url is not None:
        return _build_elasticsearch(settings, settings.elasticsearch_url, embedder, connections)
    if embedder is None:
        index = EmbeddedIndex(settings.home / "index")
        return SearchParts(index=index)
    try:
        from knowledge.vectors.embedded import EmbeddedVectors, VectorFile
    except ImportError as error:
        raise InvalidInput(Fault("setting.vectors_extra"), field="VTA_EMBEDDINGS_FOLDER") from error
    index = EmbeddedIndex(settings.home / "index", beside=VectorFile(_kept(embedder, settings)))
    vectors = EmbeddedVectors(index, model=embedder.name)
    return SearchParts(
        index=index,
        vectors=_vector_side(settings, embedder, vectors),
    )


def _build_elasticsearch(
    settings: Settings, urls: str, embedder: Embedder | None, connections: ExitStack
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
    if embedder is None:
        return SearchParts(index=ElasticsearchIndex(client, alias=alias))
    from knowledge.vectors.elasticsearch import ElasticsearchVectors, VectorField

    field = VectorField(client, _kept(embedder, settings))
    vectors = ElasticsearchVectors(client, alias=alias, model=embedder.name)
    return SearchParts(
        index=ElasticsearchIndex(client, alias=alias, beside=field),
        vectors=_vector_side(settings, embedder, vectors),
    )


def build_embedder(settings: Settings, connections: ExitStack) -> Embedder | None:
    """The embedding model of the settings, or None where vectors are off, and then none of their code."""
    if settings.embeddings_folder is not None:
        from knowledge.vectors.local_model import LocalEmbedder

        try:
            return LocalEmbedder.load(settings.embeddings_folder)
        except InvalidInput as error:
            raise InvalidInput(
                Fault("setting.embeddings_folder", reason=error.fault),
                field="VTA_EMBEDDINGS_FOLDER",
                path=error.path,
            ) from error
    if settings.embeddings_base_url is None or settings.embeddings_model is None:
        return None
    from services.language_model.embeddings import OpenAiEmbedder

    embedder = OpenAiEmbedder(
        base_url=settings.embeddings_base_url,
        api_key=reveal(settings.embeddings_api_key),
        model=settings.embeddings_model,
        timeout_s=settings.embeddings_timeout_s,
    )
    connections.callback(embedder.close)
    return embedder


def _kept(embedder: Embedder, settings: Settings) -> Embedder:
    """The embedder of an index, which embeds each text once."""
    from knowledge.vectors.caching import CachedEmbedder

    return CachedEmbedder(embedder, settings.home / "embeddings")


def _vector_side(settings: Settings, embedder: Embedder, index: VectorIndex) -> VectorSide:
    from knowledge.vectors.fusion import VectorSide

    return VectorSide(
        embedder=embedder,
        index=index,
        threshold=settings.similarity_threshold,
        nearest=settings.similarity_top,
    )
