"""The languages of the platform."""

from enum import StrEnum


class Language(StrEnum):
    """The languages that are first class."""

    ZH = "zh"
    EN = "en"
