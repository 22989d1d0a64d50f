"""The tables of the relational store. What a course owns goes with it, by foreign keys that cascade."""

from services.storage.tables.access import *  # noqa: F403
from services.storage.tables.base import metadata as metadata
from services.storage.tables.content import *  # noqa: F403
from services.storage.tables.dialogue import *  # noqa: F403
from services.storage.tables.lti import *  # noqa: F403
from services.storage.tables.outboxes import *  # noqa: F403
