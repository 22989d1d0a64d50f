"""How a course's platform is told of answers, by HTTP: its secret, what was delivered, a test."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Response

from services.api.settings_schemas import DeliveryOut, SecretOut, WebhookOut
from services.http.problems import problems
from services.identity.course_keys import Instructor, instructors_of
from services.wiring import Platform

_PROBLEMS = problems({422: "The request cannot be used, or no address or secret is set."}, bodies=False)


def webhook_routes(platform: Platform) -> APIRouter:
    """The router of webhooks over one platform; their address is one of the course's settings."""
    router = APIRouter(prefix="/v1/courses/{course}/settings/webhook", tags=["settings"], responses=_PROBLEMS)
    settings, webhooks = platform.stores.settings, platform.stores.webhooks
    instructor = Depends(instructors_of(platform.stores.keys))

    @router.get("")
    async def read_webhook(who: Instructor = instructor) -> WebhookOut:
        """Where the platform is told of answers, and what came of it."""
        found = await asyncio.to_thread(settings.settings, who.course_id)
        deliveries = await asyncio.to_thread(webhooks.deliveries, who.course_id)
        return WebhookOut(
            url=found.webhook_url,
            has_secret=await asyncio.to_thread(webhooks.has_secret, who.course_id),
            waiting=await asyncio.to_thread(webhooks.waiting, who.course_id),
            deliveries=[DeliveryOut.of(each) for each in deliveries],
        )

    @router.post("/secret", status_code=201)
    async def make_webhook_secret(response: Response, who: Instructor = instructor) -> SecretOut:
        """Make the secret that signs from now on, in the place of the one before; it is shown this once."""
        response.headers["Cache-Control"] = "no-store"
        secret = await asyncio.to_thread(platform.course_settings.make_webhook_secret, who.course_id)
        return SecretOut(secret=secret)

    @router.post("/test")
    async def send_test(who: Instructor = instructor) -> DeliveryOut:
        """Send a test now, and say what came of it."""
        return DeliveryOut.of(await platform.courier.send_test(who.course_id))

    return router
