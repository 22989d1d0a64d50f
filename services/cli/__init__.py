"""The command line `vta`."""

from services.cli.main import main

__all__ = ["main"]
