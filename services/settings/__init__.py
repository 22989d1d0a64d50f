"""The settings: one table of `VTA_*` environment variables, read once by the wiring."""

from services.settings.reading import (
    make_home,
    read_settings,
    reveal,
    secret_files,
    terminal_language,
    unknown_variables,
)
from services.settings.table import Settings

__all__ = [
    "Settings",
    "make_home",
    "read_settings",
    "reveal",
    "secret_files",
    "terminal_language",
    "unknown_variables",
]
