"""The settings: one table of `VTA_*` environment variables, read once by the wiring; a module a subject."""

from services.settings.whole import (
    Settings,
    make_home,
    read_settings,
    reveal,
    terminal_language,
    unknown_variables,
)

__all__ = ["Settings", "make_home", "read_settings", "reveal", "terminal_language", "unknown_variables"]
