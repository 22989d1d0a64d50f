"""Embeddings of the pairs beside their tokens, by the shipped table of tokens, a local model or a server."""

import vta  # noqa: F401 (before ONNX Runtime)
