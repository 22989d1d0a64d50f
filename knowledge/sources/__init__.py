"""Readers: files of a course become source documents with locators, or QA pairs."""
