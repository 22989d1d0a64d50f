"""Plain constructor calls: the rooms put together into one platform."""

from __future__ import annotations

from dataclasses import dataclass

from concept_graph.headings import heading_concepts
from concept_graph.reader import ConceptFileReader
from intent.albert import AlbertIntentClassifier
from knowledge.index.embedded import EmbeddedIndex
from knowledge.sources.readers import FaqReader, MaterialReader
from prompts.chain_of_teach import ChainOfTeach, ComposingTeacher, load_examples
from prompts.chit_chat import CaringChitChat
from prompts.follow_up import RuleFollowUp
from prompts.phrases import FixedPhrases
from services.clock import SystemClock
from services.knowledge_base import StoredKnowledge
from services.language_model.client import OpenAiLanguageModel
from services.settings import Settings
from services.storage.stores import Stores, open_stores
from vta.dialogue.assistant import Assistant
from vta.errors import VtaError
from vta.ports import DocumentReader, IntentClassifier, PromptBuilder
from vta.text import Analyser


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Everything one process serves from."""

    settings: Settings
    stores: Stores
    index: EmbeddedIndex
    knowledge: StoredKnowledge
    readers: tuple[DocumentReader, ...]
    intents: IntentClassifier
    prompts: PromptBuilder
    model: OpenAiLanguageModel | None
    assistant: Assistant

    def close(self) -> None:
        self.stores.close()


def build_platform(settings: Settings, *, intents: IntentClassifier | None = None) -> Platform:
    """The platform of one data folder, which is made where it is missing.

    `intents` stands in for the ALBERT classifier that the settings name.
    """
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VtaError(f"VTA_HOME: cannot use {str(settings.home)!r}: {error.strerror}") from error
    intents = intents or AlbertIntentClassifier.load(settings.intent_model)
    stores = open_stores(settings.store_url, SystemClock())
    index = EmbeddedIndex(settings.home / "index")
    knowledge = StoredKnowledge(courses=stores.courses, documents=stores.documents, index=index)
    analyser = Analyser()
    prompts = ChainOfTeach(load_examples(), analyser=analyser)
    model = build_model(settings)
    assistant = Assistant(
        courses=stores.courses,
        sessions=stores.sessions,
        knowledge=knowledge,
        intents=intents,
        follow_ups=RuleFollowUp(),
        prompts=prompts,
        offline=ComposingTeacher(analyser=analyser),
        chit_chat=CaringChitChat(),
        phrases=FixedPhrases(),
        model=model,
        thresholds=settings.thresholds,
    )
    return Platform(
        settings=settings,
        stores=stores,
        index=index,
        knowledge=knowledge,
        readers=build_readers(),
        intents=intents,
        prompts=prompts,
        model=model,
        assistant=assistant,
    )


def build_readers() -> tuple[DocumentReader, ...]:
    """One reader a kind of file; the first that handles a name reads it."""
    material = MaterialReader(lambda document, course: heading_concepts([document], course=course))
    return (ConceptFileReader(), material, FaqReader())


def build_model(settings: Settings) -> OpenAiLanguageModel | None:
    """The language model client, or None where none is configured."""
    if settings.llm_base_url is None or settings.llm_model is None:
        return None
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else ""
    return OpenAiLanguageModel(
        base_url=settings.llm_base_url,
        api_key=key,
        model=settings.llm_model,
        timeout_s=settings.llm_timeout_s,
        max_tokens=settings.llm_max_tokens,
    )
