"""The tables of the relational store. What a course owns goes with it, by foreign keys that cascade."""

from services.store.tables.access import *  # noqa: F403
from services.store.tables.base import metadata as metadata
from services.store.tables.content import *  # noqa: F403
from services.store.tables.dialogue import *  # noqa: F403
from services.store.tables.lti import *  # noqa: F403
from services.store.tables.outboxes import *  # noqa: F403
