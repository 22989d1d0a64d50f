"""The limits of the settings, and where they are counted."""

from __future__ import annotations

from services.http.counters import SharedCounters
from services.http.file_counters import FileCounters
from services.http.rate_limits import Limits
from services.settings import Settings
from vta.errors import InvalidInput, NotReady
from vta.faults import Fault


def limits_of(settings: Settings) -> Limits:
    return Limits(
        learner=settings.limit_learner,
        key=settings.limit_key,
        address=settings.limit_address,
        requests=settings.limit_requests,
        processes=settings.processes,
    )


def open_counters(settings: Settings) -> SharedCounters:
    """Redis where it is set, else a file that the processes of a data folder share.

    Redis need not be up yet; `NotReady` where its package is not installed.
    """
    if settings.redis_url is None:
        return FileCounters(settings.home / "limits")
    try:
        from services.http.redis_counters import RedisCounters  # an extra
    except ImportError as error:
        raise NotReady(Fault("setting.redis_extra")) from error
    try:
        return RedisCounters(settings.redis_url)
    except ValueError as error:
        raise InvalidInput(Fault("setting.redis_address"), field="VTA_REDIS_URL") from error
