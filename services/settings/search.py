"""What is searched beside the words of a course: search engines, and vectors by an embedding model."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr

from services.settings.base import ModelServerUrl, Seconds, ServerUrl, SettingsGroup


class SearchSettings(SettingsGroup):
    """Search engines and vectors."""

    search_engine_url: ServerUrl = None
    """SearXNG server to search when the course has no answer; off when unset."""
    academic_url: ServerUrl = None
    """OpenAlex (https://api.openalex.org) or a compatible server; off when unset."""
    academic_api_key: SecretStr | None = None
    """API key of that server, if any."""
    search_timeout_s: float = Field(default=4.0, gt=0, le=60)
    """Timeout of all search engines together, in seconds."""
    embeddings_folder: Path | None = None
    """Folder of a sentence-transformers model exported to ONNX, instead of the encoder that comes with the
    program; `none` turns vectors off."""
    embeddings_base_url: ModelServerUrl = None
    """OpenAI-compatible embeddings server, instead of a folder."""
    embeddings_api_key: SecretStr | None = None
    """API key of that server, if any."""
    embeddings_model: str | None = None
    """Model name at VTA_EMBEDDINGS_BASE_URL; without that, at Hugging Face (needs the extra `vectors`)."""
    embeddings_query_prefix: str | None = None
    """What the model wants before a question, such as `query: `; unset, what its
    `config_sentence_transformers.json` names."""
    embeddings_passage_prefix: str | None = None
    """The same before a passage, such as `passage: `."""
    embeddings_timeout_s: Seconds = 10.0
    """Timeout of that server, in seconds."""
    rerank_url: ServerUrl = None
    """Address of a reranker that orders the best thirty candidates, such as https://api.cohere.com/v2/rerank
    (also Jina, TEI, vLLM, Xinference); off when unset."""
    rerank_api_key: SecretStr | None = None
    """API key of that server, if any."""
    rerank_model: str | None = None
    """Model name for that server, if it wants one."""
    rerank_folder: Path | None = None
    """Folder of a cross-encoder exported to ONNX, instead of a server."""

    @property
    def searches_web(self) -> bool:
        """Whether any search engine is switched on."""
        return bool(self.search_engine_url or self.academic_url)
