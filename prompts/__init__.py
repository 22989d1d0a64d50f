"""Prompts: Chain of Teach, chit-chat, primers and follow-ups, as versioned files."""
