"""The initial schema, and the secret of the learners' pseudonyms

It keeps the number under which data folders were made while the migrations before it were apart.
"""

from __future__ import annotations

import secrets
from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = None

_IN_SQLITE = {
    ' COLLATE "C"': "",
    "TIMESTAMP WITH TIME ZONE": "DATETIME",
    "SERIAL": "INTEGER",
    "BYTEA": "BLOB",
    "DEFAULT false": "DEFAULT 0",
    "DEFAULT true": "DEFAULT 1",
}


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").partition("\n\n")[2]
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        for postgresql, sqlite in _IN_SQLITE.items():
            script = script.replace(postgresql, sqlite)
    for statement in script.split(";"):
        if statement.strip():
            connection.exec_driver_sql(statement)
    table = sa.table("store_secrets", sa.column("name"), sa.column("value"))
    connection.execute(sa.insert(table).values(name="learners", value=secrets.token_hex(32)))
