"""The inside of the assistant: words, ports and the flow of one question and one document."""

__version__ = "0.1.0"
