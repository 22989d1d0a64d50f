"""The outside: HTTP, sidebar, storage, language model client, settings, wiring and the command line."""
