"""The JSON of a course's settings, checked here and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.dialogue_api.schemas import ShortText
from services.storage.course_settings import LARGEST_BETA, LONGEST_REFUSAL, CourseSettings
from services.storage.embedding import MOST_ORIGINS

Threshold = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SettingsIn(BaseModel):
    """What to change; what is left out stays."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"refusal": "Please ask in the forum."}]},
    )

    alpha: Annotated[Threshold, Field(le=1)] | None = Field(
        default=None, description="h above this is small talk; null for the platform's."
    )
    beta: Annotated[Threshold, Field(le=LARGEST_BETA)] | None = Field(
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
    origins: Annotated[list[ShortText], Field(max_length=MOST_ORIGINS)] = Field(
        default=[], description="The sites that may embed the sidebar."
    )

    def edit(self, found: CourseSettings) -> CourseSettings:
        """The settings with what was given in its place."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        if "origins" in given:
            given["origins"] = tuple(self.origins)
        return replace(found, **given)


class SettingsOut(BaseModel):
    """The settings of a course; null stands for the platform's own."""

    alpha: float | None
    beta: float | None
    refusal: str | None
    hints: bool
    origins: list[str]

    @classmethod
    def of(cls, settings: CourseSettings) -> Self:
        return cls(
            alpha=settings.alpha,
            beta=settings.beta,
            refusal=settings.refusal,
            hints=settings.hints,
            origins=list(settings.origins),
        )
