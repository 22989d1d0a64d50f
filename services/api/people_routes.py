"""Accounts by HTTP, for the bearer of the admin key."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict

from services.api.dialogue_schemas import ShortText
from services.http.problems import problems
from services.http.serving import public_address
from services.identity.course_keys import admins_of
from services.storage.people import unknown_person
from services.wiring import Platform

_PROBLEMS = problems({404: "No such account."})


class PasswordLinkIn(BaseModel):
    """Whose password is to be set anew."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"email": "ann@uni.example"}]})

    email: ShortText


class PasswordLinkOut(BaseModel):
    """A link that its owner opens to set a password, once and within 7 days."""

    link: str


def people_routes(platform: Platform) -> APIRouter:
    """The router of accounts over one platform."""
    admin = Depends(admins_of(platform.settings.admin_key))
    router = APIRouter(prefix="/v1/people", tags=["admin"], dependencies=[admin], responses=_PROBLEMS)

    @router.post("/password-links", status_code=201)
    async def make_password_link(
        body: PasswordLinkIn, request: Request, response: Response
    ) -> PasswordLinkOut:
        """Make a link to set an account's password, which is shown this once; earlier ones open nothing."""
        response.headers["Cache-Control"] = "no-store"
        root = public_address(platform, request)
        person = await asyncio.to_thread(platform.stores.people.find, body.email)
        if person is None:
            raise unknown_person(body.email)
        secret = await asyncio.to_thread(platform.stores.invitations.make_password_link, person.id)
        return PasswordLinkOut(link=f"{root}/console/-/passwords/{secret}")

    return router
