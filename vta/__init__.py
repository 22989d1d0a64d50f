"""The inside of the assistant: words, ports and the flow of one question and one document."""

import os

__version__ = "0.1.0"

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
"""ONNX Runtime, which reads it as it is loaded, would else report its use to its maker."""
