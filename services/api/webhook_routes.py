"""How a course's platform is told of answers, by HTTP: its secret, what was delivered, a test."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from services.api.settings_schemas import DeliveryOut, SecretOut, WebhookOut
from services.http.problems import problems
from services.http.serving import Served
from services.identity.course_keys import CourseInstructor

_PROBLEMS = problems({422: "The request cannot be used, or no address or secret is set."}, bodies=False)


router = APIRouter(prefix="/v1/courses/{course}/settings/webhook", tags=["settings"], responses=_PROBLEMS)


@router.get("")
async def read_webhook(platform: Served, who: CourseInstructor) -> WebhookOut:
    """Where the platform is told of answers, and what came of it."""
    found = await asyncio.to_thread(platform.stores.settings.settings, who.course_id)
    deliveries = await asyncio.to_thread(platform.stores.webhooks.deliveries, who.course_id)
    return WebhookOut(
        url=found.webhook_url,
        has_secret=await asyncio.to_thread(platform.stores.webhooks.has_secret, who.course_id),
        waiting=await asyncio.to_thread(platform.stores.webhooks.waiting, who.course_id),
        deliveries=[DeliveryOut.of(each) for each in deliveries],
    )


@router.post("/secret", status_code=201)
async def make_webhook_secret(response: Response, platform: Served, who: CourseInstructor) -> SecretOut:
    """Make the secret that signs from now on, in the place of the one before; it is shown this once."""
    response.headers["Cache-Control"] = "no-store"
    secret = await asyncio.to_thread(platform.course_settings.make_webhook_secret, who.course_id)
    return SecretOut(secret=secret)


@router.post("/test")
async def send_test(platform: Served, who: CourseInstructor) -> DeliveryOut:
    """Send a test now, and say what came of it."""
    return DeliveryOut.of(await platform.courier.send_test(who.course_id))
