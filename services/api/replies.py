"""What the replies of the API have in common."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel


class Reply(BaseModel):
    """What is shown of a dataclass: those of its fields that the reply has too."""

    @classmethod
    def of(cls, each: object) -> Self:
        """The reply with the fields of the dataclass, all of which it must have."""
        return cls.model_validate(each, from_attributes=True)
