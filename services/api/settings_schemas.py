"""The JSON of a course's settings, checked here and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.api.dialogue_schemas import ShortText
from services.api.replies import Reply
from services.storage.course_settings import LARGEST_BETA, LONGEST_REFUSAL, CourseSettings
from services.storage.embedding import MOST_ORIGINS
from services.storage.webhook_rows import Reason
from services.webhooks.sending import LONGEST_ADDRESS

Threshold = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SettingsIn(BaseModel):
    """What to change; what is left out stays."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"refusal": "Please ask in the forum."}]},
    )

    relevance: Annotated[Threshold, Field(le=1)] | None = Field(
        default=None,
        description="Below this an answer is said to only come closest; null for the platform's.",
    )
    alpha: Annotated[Threshold, Field(le=1)] | None = Field(
        default=None, description="h above this is small talk; null for the platform's."
    )
    beta: Annotated[Threshold, Field(gt=0, le=LARGEST_BETA)] | None = Field(
        default=None, description="S above this is answered directly; null for the platform's."
    )
    refusal: Annotated[str, StringConstraints(max_length=LONGEST_REFUSAL, pattern=r"^[^\x00]*$")] | None = (
        Field(
            default=None,
            description="The sentence for questions that the course does not answer, plain text in one line; "
            "null or empty for the usual one.",
        )
    )
    hints: bool = Field(default=True, description="Whether the sidebar offers hints in place of answers.")
    shares_concepts: bool = Field(
        default=False, description="Whether other courses of a common domain may use this one's concepts."
    )
    takes_concepts: bool = Field(
        default=False, description="Whether concepts that other courses share are used here."
    )
    origins: Annotated[tuple[ShortText, ...], Field(max_length=MOST_ORIGINS)] = Field(
        default=(), description="The sites that may embed the sidebar."
    )

    webhook_url: Annotated[str, StringConstraints(max_length=LONGEST_ADDRESS)] | None = Field(
        default=None, description="Where the platform is told of answers; null or empty for nowhere."
    )

    def edit(self, found: CourseSettings) -> CourseSettings:
        """The settings with what was given in its place."""
        return replace(found, **{name: getattr(self, name) for name in self.model_fields_set})


class SettingsOut(Reply):
    """The settings of a course; null stands for the platform's own."""

    relevance: float | None
    alpha: float | None
    beta: float | None
    refusal: str | None
    hints: bool
    shares_concepts: bool
    takes_concepts: bool
    origins: list[str]
    webhook_url: str | None


class SecretOut(BaseModel):
    """A new secret; it is shown this once."""

    secret: str


class DeliveryOut(Reply):
    """A delivery; `status` is the platform's at the last try, null where it did not answer."""

    id: str
    type: str = Field(validation_alias="kind")
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    created_at: datetime
    tried_at: datetime | None
    status: int | None
    reason: Reason | None


class WebhookOut(BaseModel):
    """How the platform is told: is there a secret, what waits, and the last deliveries, newest first."""

    url: str | None
    has_secret: bool
    waiting: int
    deliveries: list[DeliveryOut]
