"""Chain of Teach: the prompt of Algorithm 1, its worked examples, and a teacher without a language model."""

from __future__ import annotations

from prompts.chain_of_teach.builder import ChainOfTeach
from prompts.chain_of_teach.library import load_examples
from prompts.chain_of_teach.offline import ComposingTeacher

__all__ = ["ChainOfTeach", "ComposingTeacher", "load_examples"]
