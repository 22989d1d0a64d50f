"""The JSON of visitors and of embedding, checked here and nowhere else."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.api.dialogue_schemas import Identifier, ShortText
from services.storage.embedding import MOST_ORIGINS

PlatformId = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class VisitorIn(BaseModel):
    """The learner for whom a platform wants a token, by the platform's own id; someone new without one."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"learner_id": "u-4711"}]})

    learner_id: PlatformId | None = None


class VisitorOut(BaseModel):
    """A token for the learner's browser, and the pseudonym under which the learner is kept."""

    token: str
    expires_at: datetime
    learner_id: Identifier


class EmbeddingIn(BaseModel):
    """What to change; what is left out stays."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"origins": ["https://learn.example"]}]}
    )

    origins: Annotated[list[ShortText], Field(max_length=MOST_ORIGINS)] | None = None
    hints: bool | None = None


class EmbeddingOut(BaseModel):
    """The sites that may embed the sidebar, and whether it offers hints in the place of answers."""

    origins: list[str]
    hints: bool
