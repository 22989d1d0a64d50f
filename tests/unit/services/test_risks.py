"""What `vta doctor` says may go wrong, from what is known of a platform."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from services.cli.doctor import Facts, effective_settings, risks_of
from services.settings import Settings

NOW = datetime(2026, 1, 31, tzinfo=UTC)
CAREFUL = {
    "open_sidebar": False,
    "admin_key": SecretStr("sixteen-characters"),
    "public_url": "https://vta.example",
    "trusted_proxies": "10.0.0.1",
    "retention_days": 365,
}
GB = 1_000_000_000


def facts(**settings: object) -> Facts:
    """Of a platform about which there is nothing to say but for these settings."""
    return Facts(
        settings=Settings(home=Path("/data"), **{**CAREFUL, **settings}),
        database="sqlite",
        states={"store": "sqlite", "search": "embedded index"},
        revisions_behind=0,
        free_bytes=50 * GB,
        disk_bytes=100 * GB,
        courses=1,
        last_backup=NOW - timedelta(days=1),
        last_daily_backup=None,
        now=NOW,
    )


def names(known: Facts) -> list[str]:
    return [risk.name for risk in risks_of(known)]


def test_a_platform_set_up_with_care_has_no_risks():
    assert names(facts()) == []


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"open_sidebar": True}, ["open_sidebar"]),
        ({"admin_key": None}, ["admin_key"]),
        ({"trusted_proxies": None}, ["proxy"]),
        ({"public_url": None}, ["public_url"]),
        ({"public_url": None, "trusted_proxies": None}, ["public_url"]),
        ({"public_url": "http://vta.example"}, ["https"]),
        ({"public_url": "http://localhost:8000"}, []),
        ({"retention_days": None}, ["retention"]),
        ({"webhook_private_addresses": True}, ["private_addresses"]),
        ({"website_private_addresses": True}, ["private_addresses"]),
        ({"processes": 2}, ["sqlite", "limits"]),
        ({"processes": 2, "redis_url": "redis://r/0"}, ["sqlite"]),
    ],
)
def test_each_setting_has_its_own_risk(settings, expected):
    assert names(facts(**settings)) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"free_bytes": 4 * GB}, ["disk"]),
        ({"free_bytes": GB // 2, "disk_bytes": GB}, ["disk"]),
        ({"revisions_behind": 1}, ["index"]),
        ({"last_backup": None}, ["backup"]),
        ({"last_backup": None, "courses": 0}, []),
        ({"last_backup": NOW - timedelta(days=8)}, ["backup"]),
        ({"unknown_variables": ("VTA_BETTA",)}, ["variable"]),
        ({"states": {"language_model": "failed: it is away"}}, ["language_model"]),
    ],
)
def test_each_fact_has_its_own_risk(change, expected):
    assert names(replace(facts(), **change)) == expected


@pytest.mark.parametrize(
    ("hours", "expected"), [(None, ["backup"]), (27, ["backup"]), (25, [])], ids=["none", "old", "young"]
)
def test_a_daily_backup_that_is_missing_is_a_risk(hours, expected):
    """Whenever the last one by hand was."""
    last = None if hours is None else NOW - timedelta(hours=hours)
    known = facts(backup_folder=Path("/backups"))
    assert names(replace(known, last_daily_backup=last, last_backup=None)) == expected


def test_postgresql_is_no_risk_for_several_processes():
    assert names(replace(facts(processes=4, redis_url="redis://r/0"), database="postgresql")) == []


def test_every_setting_is_told_with_where_it_comes_from_and_no_secret():
    settings = Settings(
        home=Path("/data"),
        admin_key=SecretStr("CANARY-admin-key"),
        database_url="postgresql://vta:CANARY-password@db/vta",
        beta=0.5,
    )
    environ = {"vta_beta": "0.5", "VTA_ALPHA": "", "VTA_DATABASE_URL": "x"}
    told = effective_settings(settings, environ, ("home",), ("VTA_ADMIN_KEY", "VTA_DATABASE_URL"))
    assert len(told) == len(Settings.model_fields)
    assert told["VTA_HOME"] == {"value": "/data", "from": "option"}
    assert told["VTA_BETA"] == {"value": "0.5", "from": "environment"}
    assert (told["VTA_ALPHA"]["from"], told["VTA_REDIS_URL"]["value"]) == ("default", None)
    assert told["VTA_ADMIN_KEY"] == {"value": "[secret]", "from": "file"}
    url = "postgresql://vta:[secret]@db/vta"
    assert told["VTA_DATABASE_URL"] == {"value": url, "from": "environment"}
    assert "CANARY" not in str(told)


@pytest.mark.parametrize("password", ["pa#ss", "pa?ss", "pa/ss", "pa,ss", "pa[ss"])
def test_a_password_that_an_address_holds_unencoded_is_not_shown(password):
    """PostgreSQL takes it so, though an address is split at some of these."""
    told = effective_settings(Settings(database_url=f"postgresql://vta:{password}@db/vta"), {})
    assert told["VTA_DATABASE_URL"]["value"] == "postgresql://vta:[secret]@db/vta"


def test_the_password_of_each_of_several_addresses_is_not_shown():
    """The addresses keep all else."""
    urls = "http://a:9200,http://u:first@b:9200,http://v:se@cond@c:9200"
    told = effective_settings(Settings(elasticsearch_url=urls), {})
    assert (
        told["VTA_ELASTICSEARCH_URL"]["value"]
        == "http://a:9200,http://u:[secret]@b:9200,http://v:[secret]@c:9200"
    )
