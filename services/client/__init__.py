"""A typed client of the API, which needs nothing else of the platform: httpx2 and pydantic alone."""

from services.client.client import Client, CourseClient
from services.client.connection import ApiError
from services.client.models import Answer, Event

__all__ = ["Answer", "ApiError", "Client", "CourseClient", "Event"]
