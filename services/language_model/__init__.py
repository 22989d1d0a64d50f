"""The client of an OpenAI-compatible language model server."""
