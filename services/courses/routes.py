"""The settings of a course by HTTP, with its instructors' keys, its webhook, and e-mail notices."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import Response
from pydantic import BaseModel, Field, StringConstraints

from services.courses.settings_store import (
    LARGEST_BETA,
    LONGEST,
    MOST_ORIGINS,
    MOST_STARTERS,
    MOST_TOKENS,
    CourseSettings,
    Varied,
)
from services.people.course_keys import CourseInstructor, Name
from services.questions.notices import MOST_RECIPIENTS, Notices, Pace
from services.web.problems import forbidden, only, precondition_failed, problems
from services.web.schemas import (
    KeyIn,
    KeyList,
    KeyOut,
    NewKeyOut,
    ReplyModel,
    RequestModel,
    ShortText,
    plain_text,
)
from services.web.serving import Seen, Served, ThreadedRouter, etag
from services.webhooks.rows import DeliveryReason
from services.webhooks.worker import LONGEST_ADDRESS
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.courses import KeyId, Role

Threshold = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SettingsIn(RequestModel, json_schema_extra={"examples": [{"refusal": "Please ask in the forum."}]}):
    """What to change; what is left out stays."""

    relevance: Annotated[Threshold, Field(le=1)] | None = Field(
        default=None,
        description="Below this a place is said to be one that may help; null for the platform's.",
    )
    alpha: Annotated[Threshold, Field(le=1)] | None = Field(
        default=None, description="h above this is small talk; null for the platform's."
    )
    beta: Annotated[Threshold, Field(gt=0, le=LARGEST_BETA)] | None = Field(
        default=None, description="S above this is answered directly; null for the platform's."
    )
    refusal: Annotated[str, plain_text(LONGEST["refusal"])] | None = Field(
        default=None,
        description="The sentence for questions that the course does not answer, plain text in one line; "
        "null or empty for the usual one.",
    )
    tone: Annotated[str, plain_text(LONGEST["tone"])] | None = Field(
        default=None,
        description="How a language model should sound, in one line below its rules; null for none.",
    )
    assistant: Annotated[str, plain_text(LONGEST["assistant"])] | None = Field(
        default=None, description="What the sidebar calls the assistant; null for the usual name."
    )
    model: ShortText | None = Field(
        default=None, description="One of the models that the platform offers; null for its usual one."
    )
    daily_tokens: Annotated[int, Field(ge=0, le=MOST_TOKENS, strict=True)] | None = Field(
        default=None,
        description="Tokens that the language model may use a day (UTC), at most the platform's number; "
        "0 for answers without a model, null for the platform's number.",
    )
    greeting: Annotated[str, plain_text(LONGEST["greeting"])] | None = Field(
        default=None, description="How the sidebar greets, in one line; null for the usual words."
    )
    starters: Annotated[tuple[ShortText, ...], Field(max_length=MOST_STARTERS)] = Field(
        default=(), description="Questions that an empty conversation offers; none for those that are found."
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
    research: Annotated[str, plain_text(LONGEST["research"])] | None = Field(
        default=None,
        description="The study for which learners are asked whether it may use their conversations, in plain "
        "text; null or empty for none. Another text asks them again.",
    )

    experiment: Annotated[str, plain_text(LONGEST["experiment"])] | None = Field(
        default=None,
        description="The name of a comparison, for which half of the learners have another setting; null or "
        "empty for none. Another name draws them anew.",
    )
    experiment_setting: Varied | None = Field(
        default=None, description="That setting: only hints, no direct answers, or the tone of the model."
    )
    experiment_value: Annotated[str, plain_text(LONGEST["experiment_value"])] | None = Field(
        default=None, description="The other tone; null for none."
    )

    def edit(self, found: CourseSettings) -> CourseSettings:
        """The settings with what was given in its place."""
        return replace(found, **{name: getattr(self, name) for name in self.model_fields_set})


class SettingsOut(ReplyModel):
    """The settings of a course; null stands for the platform's own."""

    relevance: float | None
    alpha: float | None
    beta: float | None
    refusal: str | None
    tone: str | None
    assistant: str | None
    model: str | None
    daily_tokens: int | None
    greeting: str | None
    starters: list[str]
    hints: bool
    shares_concepts: bool
    takes_concepts: bool
    origins: list[str]
    webhook_url: str | None
    research: str | None
    experiment: str | None
    experiment_setting: str | None
    experiment_value: str | None


class DayOut(BaseModel):
    """The tokens of prompts and answers on a day of UTC."""

    day: date
    tokens: int


class ModelUseOut(BaseModel):
    """What the language model may be and use; null for any number of tokens."""

    models: list[str] = Field(description="Those that the course may choose, the usual one first.")
    tokens_a_day: int | None
    tokens_left: int | None = Field(description="Today.")
    days: list[DayOut] = Field(description="The last seven, the latest first.")


class SecretOut(BaseModel):
    """A new secret; it is shown this once."""

    secret: str


class DeliveryOut(ReplyModel):
    """A delivery; `status` is the platform's at the last try, null where it did not answer."""

    id: str
    type: str = Field(validation_alias="kind")
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    created_at: datetime
    tried_at: datetime | None
    status: int | None
    reason: DeliveryReason | None


class WebhookOut(BaseModel):
    """How the platform is told: is there a secret, what waits, and the last deliveries, newest first."""

    url: str | None
    has_secret: bool
    waiting: int
    deliveries: list[DeliveryOut]


_PROBLEMS = problems(
    {404: "No such course or key.", 422: "The request cannot be used as it is; `errors` names the field."}
)
_CHANGE = only({412: "Someone was quicker; `current` is what is there now."})
_UNSET = only({422: "The request cannot be used, or no address or secret is set."})


router = ThreadedRouter(prefix="/v1/courses/{course}/settings", tags=["settings"], responses=_PROBLEMS)


@router.get("")
def read_settings(response: Response, platform: Served, who: CourseInstructor) -> SettingsOut:
    """What is set for the course."""
    found = platform.stores.settings.settings(who.course_id)
    response.headers.update(etag(found.mark))
    return SettingsOut.of(found)


@router.patch("", responses=_CHANGE)
def change_settings(
    body: SettingsIn, response: Response, platform: Served, who: CourseInstructor, expected: Seen
) -> SettingsOut:
    """Change what is given and leave the rest; it holds from the next question on."""
    try:
        changed = platform.course_settings.change(who.course_id, body.edit, expected=expected)
    except Conflict as conflict:
        found = platform.stores.settings.settings(who.course_id)
        current = SettingsOut.of(found).model_dump(mode="json")
        raise precondition_failed(conflict.fault, headers=etag(found.mark), current=current) from conflict
    response.headers.update(etag(changed.mark))
    return SettingsOut.of(changed)


@router.get("/model")
def read_model_use(platform: Served, who: CourseInstructor) -> ModelUseOut:
    """The models to choose from, and what the course used today and on the days before."""
    use = platform.course_settings.model_use(who.course_id)
    return ModelUseOut(
        models=list(use.models),
        tokens_a_day=use.most,
        tokens_left=use.left,
        days=[DayOut(day=day, tokens=tokens) for day, tokens in use.days],
    )


@router.get("/keys")
def list_keys_of_course(platform: Served, who: CourseInstructor) -> KeyList:
    """The keys of the course without their secrets, revoked ones too."""
    found = platform.stores.keys.keys(who.course_id)
    return KeyList(keys=[KeyOut.of(key) for key in found])


@router.post("/keys", status_code=201)
def make_instructors_key(
    body: KeyIn, response: Response, platform: Served, who: CourseInstructor
) -> NewKeyOut:
    """Make an instructor's key of the course, which is shown this once. Only the admin makes others.

    One that it replaces works on for some hours.
    """
    if body.role is not Role.INSTRUCTOR:
        raise forbidden(Fault("key.admin_only", role=body.role.value))
    response.headers["Cache-Control"] = "no-store"
    text, key = platform.stores.keys.make(who.course_id, Role.INSTRUCTOR, **body.replacing)
    return NewKeyOut(key=text, id=key.id)


@router.delete("/keys/{key}", status_code=204)
def revoke_instructors_key(key: Name, platform: Served, who: CourseInstructor) -> None:
    """Refuse an instructor's key of the course from now on. Only the admin revokes others."""
    platform.stores.keys.revoke(who.course_id, KeyId(key), role=Role.INSTRUCTOR)


@router.get("/webhook")
def read_webhook(platform: Served, who: CourseInstructor) -> WebhookOut:
    """Where the platform is told of answers, and what came of it."""
    found = platform.stores.settings.settings(who.course_id)
    deliveries = platform.stores.webhooks.deliveries(who.course_id)
    return WebhookOut(
        url=found.webhook_url,
        has_secret=platform.stores.webhooks.has_secret(who.course_id),
        waiting=platform.stores.webhooks.waiting(who.course_id),
        deliveries=[DeliveryOut.of(each) for each in deliveries],
    )


@router.post("/webhook/secret", status_code=201, responses=_UNSET)
def make_webhook_secret(response: Response, platform: Served, who: CourseInstructor) -> SecretOut:
    """Make the secret that signs from now on, in the place of the one before; it is shown this once."""
    response.headers["Cache-Control"] = "no-store"
    secret = platform.course_settings.make_webhook_secret(who.course_id)
    return SecretOut(secret=secret)


@router.post("/webhook/test", responses=_UNSET)
async def send_test(platform: Served, who: CourseInstructor) -> DeliveryOut:
    """Send a test now, and say what came of it."""
    return DeliveryOut.of(await platform.webhook_worker.send_test(who.course_id))


class NoticesIn(RequestModel, json_schema_extra={"examples": [{"recipients": ["ta@uni.example"]}]}):
    """Whom to tell of new questions."""

    recipients: Annotated[tuple[ShortText, ...], Field(max_length=MOST_RECIPIENTS)] = Field(
        default=(), description="E-mail addresses; none for no e-mail."
    )
    pace: Pace = Field(default=Pace.DAILY, description="Soon after questions came, or once a day.")
    hour: int = Field(default=6, ge=0, le=23, description="Hour of the daily e-mail, in UTC.")
    tells_platform: bool = Field(default=False, description="Whether the webhook tells `question.waiting`.")


class NoticesOut(ReplyModel):
    """Who is told of new questions."""

    recipients: list[str]
    pace: Pace
    hour: int
    tells_platform: bool


@router.get("/notices")
def read_notices(platform: Served, who: CourseInstructor) -> NoticesOut:
    """Who is told of new questions."""
    return NoticesOut.of(platform.stores.notices.notices(who.course_id))


@router.put("/notices")
def put_notices(body: NoticesIn, platform: Served, who: CourseInstructor) -> NoticesOut:
    """Tell these from now on."""
    return NoticesOut.of(platform.stores.notices.keep(who.course_id, Notices(**dict(body))))
