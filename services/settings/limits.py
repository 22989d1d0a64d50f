"""How much may come at once, from whom, and how servers share it."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated

from pydantic import Field

from services.settings.base import Networks, Seconds, SettingsGroup

_Limit = Annotated[int, Field(ge=0, le=1_000_000)]


class LimitSettings(SettingsGroup):
    """How much may come at once."""

    redis_url: str | None = Field(default=None, repr=False, pattern=r"^(rediss?|unix)://")
    """Redis, for limits shared by several machines; the processes of one data folder share them when
    unset."""
    processes: int = Field(default=1, ge=1, le=1000)
    """Number of servers sharing the limits; while Redis is down, each admits its share, and each worker of it
    its own."""
    trusted_proxies: Networks | None = None
    """Addresses or networks of your reverse proxies, separated by commas; X-Forwarded-For and
    X-Forwarded-Proto are trusted only from them."""
    limit_learner: _Limit = 20
    """Questions per minute per learner, or per session without a learner; 0 for no limit."""
    limit_learner_day: _Limit = 0
    """Questions in 24 hours per learner of a course; 0 for no limit."""
    limit_key: _Limit = 600
    """Questions per minute per course key; 0 for no limit."""
    limit_address: _Limit = 600
    """Questions per minute per address without a key (a whole campus may share one); 0 for no limit."""
    limit_course: _Limit = 200
    """Questions of one course in progress at once in a process, queued ones included; 0 for no limit."""
    limit_requests: int = Field(default=6000, ge=0, le=10_000_000)
    """Requests of any kind per minute per address; 0 for no limit."""
    grace_s: Seconds = 10.0
    """Seconds for running requests to finish when the server stops."""

    @property
    def proxy_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        parts = (self.trusted_proxies or "").split(",")
        return tuple(ip_network(part.strip(), strict=False) for part in parts if part.strip())
